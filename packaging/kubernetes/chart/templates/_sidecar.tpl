{{/*
For the pods of a chart that depends on this one, in the metadata of their template:
  annotations:     {{- include "ringside.sidecar.annotations" .Subcharts.ringside | nindent 2 }}
in their specification:
  initContainers:  {{- include "ringside.sidecar.initContainers" .Subcharts.ringside | nindent 2 }}
  volumes:         {{- include "ringside.sidecar.volumes" .Subcharts.ringside | nindent 2 }}
  securityContext: {{- include "ringside.sidecar.securityContext" .Subcharts.ringside | nindent 2 }}
and for the container of the service:
  env:             {{- include "ringside.sidecar.env" .Subcharts.ringside | nindent 2 }}
  volumeMounts:    {{- include "ringside.sidecar.volumeMounts" .Subcharts.ringside | nindent 2 }}
*/}}
{{- define "ringside.sidecar.annotations" -}}
{{ include "ringside.annotations" . }}
{{- end }}

{{- define "ringside.sidecar.initContainers" -}}
- restartPolicy: Always
  resources: {{- toYaml .Values.sidecar.resources | nindent 4 }}
  {{- include "ringside.container" . | nindent 2 }}
{{- end }}

{{- define "ringside.sidecar.volumes" -}}
- name: ringside
  emptyDir: {medium: Memory, sizeLimit: {{ .Values.sidecar.segmentsSize }}}
- name: ringside-traces
  emptyDir: {sizeLimit: {{ .Values.sidecar.tracesSize }}}
- name: ringside-configuration
  configMap: {name: {{ include "ringside.name" . }}}
{{- end }}

{{- define "ringside.sidecar.securityContext" -}}
runAsNonRoot: true
fsGroup: {{ int64 .Values.group }}
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "ringside.sidecar.env" -}}
- {name: RINGSIDE_SHM_DIR, value: /ringside}
- {name: RINGSIDE_MODE, value: "0660"}
- {name: RINGSIDE_GROUP, value: {{ int64 .Values.group | quote }}}
{{- end }}

{{- define "ringside.sidecar.volumeMounts" -}}
- {name: ringside, mountPath: /ringside}
{{- end }}
