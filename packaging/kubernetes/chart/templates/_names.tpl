{{- define "ringside.name" -}}
{{- printf "%s-consumerd" .Release.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "ringside.selector" -}}
app.kubernetes.io/name: consumerd
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ringside.labels" -}}
{{ include "ringside.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}
