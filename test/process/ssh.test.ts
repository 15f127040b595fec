import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer, connect, type AddressInfo } from 'node:net'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { keyFile, hasSsh, ssh } from '../git-ssh/client.ts'
import { scratch, type Scratch } from '../support/server-process.ts'

let here: Scratch
beforeEach(() => {
  here = scratch()
})
afterEach(() => here.clear())

const start = (...args: string[]) =>
  here.start({
    dataDir: here.path('data'),
    args,
    env: { DESKFORGE_ROOT_TOKEN: 'root-token-of-this-test' },
  })

describe('the built server', () => {
  it('serves git over SSH if an option enables it', async () => {
    const instance = start('--ssh-port', '0')
    const url = await instance.url
    const address = /^Git over SSH: ssh:\/\/git@127\.0\.0\.1:(\d+)\/$/m
    await expect.poll(() => instance.output.stdout).toMatch(address)
    const port = Number(address.exec(instance.output.stdout)![1])
    const socket = connect(port, '127.0.0.1')
    const [greeting] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    expect(greeting.toString()).toContain('SSH-2.0-Deskforge')
    if (!hasSsh) return
    const key = keyFile()
    const headers = { 'private-token': 'root-token-of-this-test', 'content-type': 'application/json' }
    const body = JSON.stringify({ title: 'Key', key: key.line })
    expect((await fetch(`${url}/api/v4/user/keys`, { method: 'POST', headers, body })).status).toBe(201)
    expect((await ssh(key, port, 'git@127.0.0.1')).stderr).toContain('Welcome to Deskforge, @root!')
  })

  it('creates no keys and opens no other port by default', async () => {
    const instance = start()
    await instance.url
    expect(readdirSync(here.path('data'))).not.toContain('ssh')
    expect(instance.output.stdout).not.toContain('SSH')
  })

  it('reports in one sentence that the port is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const ended = await start('--ssh-port', String(port)).ended
    server.close()
    expect(ended.code).toBe(1)
    expect(ended.stderr).toBe(
      `Port ${port} on 127.0.0.1 cannot be used for SSH: it is in use by another program.\n`,
    )
  })
})
