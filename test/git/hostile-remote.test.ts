import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { expect, it, onTestFinished } from 'vitest'

import { git } from '../../server/git/args.ts'
import { GitError } from '../../server/git/errors.ts'
import { remoteArg, remoteOptions } from '../../server/git/transport/remote.ts'
import { run } from '../../server/git/process/run.ts'
import { emptyRepo } from '../support/git.ts'

const MIB = 1024 * 1024

/** Sends refs for as long as the client reads them. */
function pour(response: ServerResponse): void {
  const part = Buffer.alloc(MIB, 'a')
  const more = () => {
    while (!response.destroyed && response.write(part));
  }
  response.on('drain', more)
  more()
}

it.runIf(process.platform === 'linux')(
  'a remote with an endless list of refs is refused before memory runs out',
  { timeout: 60_000 },
  async () => {
    let sent = 0
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
      pour(response)
      response.on('close', () => (sent = response.socket?.bytesWritten ?? 0))
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close().closeAllConnections())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const remote = { url: `http://127.0.0.1:${port}/x.git`, address: '127.0.0.1' }
    const options = remoteOptions(remote)
    expect(options.memoryBytes).toBeLessThanOrEqual(4096 * MIB)
    const error = await run(await emptyRepo(), 'mirror.list', git`ls-remote ${remoteArg(remote)}`, {
      ...options,
      memoryBytes: 128 * MIB,
      timeoutMs: 50_000,
    }).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(GitError)
    expect(error).toMatchObject({ reason: 'exit' })
    expect((error as GitError).stderr).toMatch(/memory/i)
    expect(sent).toBeLessThan(1024 * MIB)
  },
)
