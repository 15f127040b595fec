import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { selfSigned } from '../support/certificates.ts'
import { cli, scratch, type Scratch } from '../support/server-process.ts'
import { expectOneSentence, onAnyPort } from '../support/starts.ts'

let here: Scratch
beforeEach(() => {
  here = scratch()
})
afterEach(() => here.clear())

describe('a headless instance', () => {
  it('caches its compiled code for the next start, and ignores a damaged cache', async () => {
    const dataDir = here.path('data')
    const cache = join(dataDir, 'cache')
    const files = (): string[] =>
      existsSync(cache)
        ? readdirSync(cache, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => join(entry.parentPath, entry.name))
        : []
    for (const start of ['first', 'second', 'third']) {
      const instance = here.start({ args: onAnyPort(dataDir), env: { NODE_COMPILE_CACHE: undefined } })
      expect((await fetch(`${await instance.url}/-/readiness`)).status, start).toBe(200)
      expect((await instance.stop()).code, start).toBe(0)
      expect(files().length > 0, start).toBe(start !== 'first')
      for (const file of files()) writeFileSync(file, 'no code')
    }
  })

  it('speaks HTTPS with a certificate, also to its own command line', async () => {
    const { tlsCert, tlsKey } = selfSigned(here.folder, 'own')
    const args = ['--host', '0.0.0.0', '--tls-cert', tlsCert]
    const instance = here.start({ dataDir: here.path('data'), args, env: { DESKFORGE_TLS_KEY: tlsKey } })
    expect(await instance.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const backup = here.start({ command: [process.execPath, cli, 'backup', '--data-dir', here.path('data')] })
    expect(await backup.ended).toMatchObject({ code: 0, stderr: '' })
    expect(await instance.stop()).toMatchObject({ code: 0, stderr: '' })
  })

  it('warns at the start that a certificate is for another host', async () => {
    const { tlsCert, tlsKey } = selfSigned(here.folder, 'other', 'subjectAltName=DNS:other.example.com')
    const instance = here.start({
      dataDir: here.path('data'),
      args: ['--tls-cert', tlsCert, '--tls-key', tlsKey],
    })
    await instance.url
    expect((await instance.stop()).stderr).toBe(
      'Warning: The certificate is not for 127.0.0.1; name the address that it is for with --url.\n',
    )
  })

  it('ends with one sentence and code 2 if the certificate cannot be used', async () => {
    const args = [...onAnyPort(here.path('data')), '--tls-cert', here.path('none.crt')]
    expectOneSentence(await here.start({ args }).ended, /^--tls-cert needs --tls-key/, 2)
    const env = { DESKFORGE_TLS_KEY: here.path('none.key') }
    expectOneSentence(
      await here.start({ args, env }).ended,
      /none\.crt cannot be read: the file does not exist/,
      2,
    )
    expect(existsSync(here.path('data/deskforge.db'))).toBe(false)
  })
})
