import { once } from 'node:events'
import { request } from 'node:https'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'

import { App } from './pages/app.ts'
import { shellOf } from './support/terminal.ts'
import { expect, owner, test } from './support/instance.ts'
import { selfSigned } from '../support/certificates.ts'
import { startProcess } from '../support/server-process.ts'
import { walk } from '../support/guide.ts'

/** A port that was free a moment ago, because an instance with its own URL does not print its port. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const statusOf = (port: number, path: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, rejectUnauthorized: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })

test('network.md: a certificate, or a proxy that has one', async ({ view, instance }) => {
  const app = new App(view, instance)
  const shell = shellOf(instance.dataDir)
  const { tlsCert, tlsKey } = selfSigned(shell.folder, 'forge')
  const ports = [await freePort(), await freePort()] as const
  // The commands of the page build the sources before the server starts. The test starts the built server at once, for this computer only.
  const values = (port: number) => ({
    'npm run serve --': `exec deskforge serve --data-dir '${join(shell.folder, String(port))}' --port ${port}`,
    '0.0.0.0': '127.0.0.1',
    'forge.crt': tlsCert,
    'forge.key': tlsKey,
    ':7080': `:${port}`,
    '10.0.0.5': '127.0.0.1',
  })
  const page = walk('guide/network', { values: values(ports[0]) })
  const run = (script: string) =>
    startProcess({ command: ['sh', '-c', script], env: { PATH: `${shell.bin}:${process.env['PATH']}` } })

  const own = run(page.block('--tls-cert'))
  try {
    expect(await own.url).toBe(`https://forge.example.com:${ports[0]}`)
    expect(await statusOf(ports[0], '/-/readiness')).toBe(200)
  } finally {
    await own.stop()
  }
  const behind = run(page.block('--trusted-proxy').replaceAll(String(ports[0]), String(ports[1])))
  try {
    expect(await behind.url).toBe('https://forge.example.com')
    expect((await fetch(`http://127.0.0.1:${ports[1]}/-/readiness`)).status).toBe(200)
  } finally {
    await behind.stop()
  }

  await app.enter('/')
  await app.entry(page.name('Settings')).click()
  await view
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('link', { name: page.name('General') })
    .click()
  for (const key of ['signup_enabled', 'minimum_password_length', 'throttle_unauthenticated_enabled'])
    await expect(view.locator('.set').filter({ hasText: key }).first()).toBeAttached()
  page.done()
})

test('troubleshooting.md: too many wrong passwords are blocked for a minute', async ({ instance }) => {
  const page = walk('guide/troubleshooting')
  const attempt = async (password: string) => {
    const authorization = `Basic ${Buffer.from(`${owner.username}:${password}`).toString('base64')}`
    const answer = await fetch(`${instance.url}/root/none.git/info/refs?service=git-upload-pack`, {
      headers: { authorization },
    })
    return `${answer.status} ${answer.statusText}`
  }
  let last = ''
  for (let turn = 0; turn < 200 && !last.startsWith('429'); turn += 1) last = await attempt(`wrong-${turn}`)
  expect(last).toBe(page.quote('429 Too Many Requests'))
})

test('README.md: Help shows the guide page by page, in its order', async ({ view, instance }) => {
  const page = walk('guide/README')
  const app = new App(view, instance)
  await app.enter('/help/guide')
  const links = view.getByRole('navigation', { name: 'Guide' }).getByRole('link')
  for (const title of await links.allTextContents()) page.quote(title.trim())
  page.done()
})
