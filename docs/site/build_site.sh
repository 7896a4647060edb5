#!/bin/sh
# usage: build_site.sh PYTHON MKDOCS ASSEMBLE OUTPUT HELP_TEXTS [API_MODEL]
set -eu
PYTHONDONTWRITEBYTECODE=1 "$1" "$3" "$4" "$5" ${6:+"$6"}
exec "$2" build --quiet --strict --config-file "$4/mkdocs.yml"
