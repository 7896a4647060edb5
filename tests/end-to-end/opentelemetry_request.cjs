// A request through three services. The first and the third are traced by the OpenTelemetry SDK, the second is a program, which
// gets the header `traceparent` and prints that of its own request. Prints the headers and the finished spans as JSON.
//
// usage: node opentelemetry_request.cjs FOLDER_OF_NODE_MODULES PROGRAM on|off     on: the first service samples the request
"use strict";
const { spawnSync } = require("node:child_process");
const { createRequire } = require("node:module");

const [folder, program, sampling] = process.argv.slice(2);
const load = createRequire(folder + "/");
const { ROOT_CONTEXT, defaultTextMapGetter, defaultTextMapSetter, trace } = load("@opentelemetry/api");
const { W3CTraceContextPropagator } = load("@opentelemetry/core");
const sdk = load("@opentelemetry/sdk-trace-base");

const exporter = new sdk.InMemorySpanExporter();
const provider = new sdk.BasicTracerProvider({
  sampler: new sdk.ParentBasedSampler({ root: sampling === "on" ? new sdk.AlwaysOnSampler() : new sdk.AlwaysOffSampler() }),
  spanProcessors: [new sdk.SimpleSpanProcessor(exporter)],
});
const tracer = provider.getTracer("request");
const propagator = new W3CTraceContextPropagator();

const first = tracer.startSpan("first");
const sent = {};
propagator.inject(trace.setSpan(ROOT_CONTEXT, first), sent, defaultTextMapSetter);
const second = spawnSync(program, [sent.traceparent], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
if (second.status !== 0) process.exit(1);
const received = { traceparent: second.stdout.trim() };
const third = tracer.startSpan("third", {}, propagator.extract(ROOT_CONTEXT, received, defaultTextMapGetter));
const context = third.spanContext();
third.end();
first.end();

const spans = exporter.getFinishedSpans().map((span) => ({
  name: span.name,
  trace: span.spanContext().traceId,
  span: span.spanContext().spanId,
  parent: span.parentSpanContext?.spanId,
  parent_is_remote: span.parentSpanContext?.isRemote,
}));
console.log(JSON.stringify({ sent: sent.traceparent, received: received.traceparent, third_trace: context.traceId, spans }));
