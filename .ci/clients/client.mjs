// client.mjs v1|v2 ENDPOINT: does the main job with an official client of that generation and the token in NOTELATCH_MCP_TOKEN, and
// prints what came back as JSON. The vault must be the only one, and hold a note that the word "frost" finds first.
//
//   v1   @modelcontextprotocol/sdk, which opens with initialize
//   v2   @modelcontextprotocol/client, which asks for the newest revision first
const [generation, endpoint] = process.argv.slice(2);
const options = { requestInit: { headers: { Authorization: `Bearer ${process.env.NOTELATCH_MCP_TOKEN}` } } };
const me = { name: "notelatch-test", version: "1" };

async function connect() {
  if (generation === "v1") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const client = new Client(me);
    await client.connect(new StreamableHTTPClientTransport(new URL(endpoint), options));
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Client(me, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(endpoint), options));
  return client;
}

const client = await connect();
const seen = { server: client.getServerVersion(), instructions: client.getInstructions(), structured: true };

// call returns what a model reads: the text. Clients that show structuredContent instead must show the same.
async function call(name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  const text = JSON.parse(result.content[0].text);
  if (!result.isError && JSON.stringify(result.structuredContent) !== JSON.stringify(text)) seen.structured = false;
  return { ...text, isError: result.isError ?? false };
}

seen.tools = (await client.listTools()).tools;
seen.vaults = await call("list_vaults");
const { mappingId } = seen.vaults.vaults[0];
seen.search = await call("search_notes", { mappingId, query: "frost" });
const { path } = seen.search.results[0];
seen.read = await call("get_note_content", { mappingId, path });
seen.preview = await call("apply_note_transaction", {
  mappingId,
  actions: [{ kind: "append", path, content: "- seen by a client", expectedRevision: seen.read.revision }],
});
seen.before = await call("get_note_content", { mappingId, path });
const { tool, arguments: next } = seen.preview.next;
seen.apply = await call(tool, next);
seen.replay = await call(tool, next);
seen.conflict = await call("apply_note_transaction", {
  mappingId,
  actions: [{ kind: "replace", path, content: "gone", expectedRevision: seen.read.revision }],
  dryRun: false,
  idempotencyKey: `stale-${generation}`,
});
seen.after = await call("get_note_content", { mappingId, path });
await client.close();
console.log(JSON.stringify(seen));
