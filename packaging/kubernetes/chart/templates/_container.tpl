{{/* What the sidecar and the DaemonSet have in common. A changed configuration changes the annotations, which replaces the pods. */}}
{{- define "ringside.annotations" -}}
ringside/configuration: {{ include "ringside.configuration" . | sha256sum | quote }}
prometheus.io/scrape: "true"
prometheus.io/port: {{ int .Values.metricsPort | quote }}
{{- end }}

{{- define "ringside.container" -}}
name: consumerd
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
args: [--config=/etc/ringside/consumerd.toml]
ports:
  - {name: metrics, containerPort: {{ .Values.metricsPort }}}
livenessProbe:
  httpGet: {path: /healthz, port: metrics}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
securityContext:
  runAsUser: {{ int64 .Values.user }}
  runAsGroup: {{ int64 .Values.user }}
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
  - {name: ringside, mountPath: /ringside}
  - {name: ringside-traces, mountPath: /traces}
  - {name: ringside-configuration, mountPath: /etc/ringside, readOnly: true}
{{- end }}
