{{/* consumerd.toml from the values. Arrays of tables come last, because settings after them would belong to them. */}}
{{- define "ringside.configuration" -}}
output = "/traces"
shm-dir = "/ringside"
metrics = {{ printf "%s:%d" .Values.metricsAddress (int .Values.metricsPort) | quote }}
{{- with .Values.allowUid }}
allow-uid = {{ toJson . }}
{{- end }}
{{- $tables := dict }}
{{- range $key, $value := .Values.configuration }}
{{- if and (kindIs "slice" $value) (kindIs "map" (first $value)) }}
{{- $_ := set $tables $key $value }}
{{- else }}
{{ $key }} = {{ toJson $value }}
{{- end }}
{{- end }}
{{- range $key, $entries := $tables }}
{{- range $entries }}

[[{{ $key }}]]
{{- range $name, $value := . }}
{{ $name }} = {{ toJson $value }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
