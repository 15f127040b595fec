import autocannon from 'autocannon'

import { TOKEN } from './instance.ts'

/** Requests per second of a server with 16 connections for `seconds`. The connections request the paths in turn. */
export async function requestsPerSecond(
  url: string,
  paths: readonly string[],
  seconds: number,
): Promise<number> {
  const all = paths.map((path) => ({
    method: 'GET' as const,
    path,
    headers: { 'private-token': TOKEN },
  }))
  let clients = 0
  const result = await autocannon({
    url,
    connections: 16,
    duration: seconds,
    // Each connection starts at another path. Otherwise all sixteen would request the same resource at the same time, and a
    // server with a cache would look faster than it is.
    setupClient(client) {
      const start = Math.floor((clients++ * all.length) / 16)
      client.setRequests([...all.slice(start), ...all.slice(0, start)])
    },
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers of ${url} were not 200, ${result.errors} failed.`)
  return result.requests.average
}
