import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { cleanEnv, cli, scratch, type Scratch } from '../support/server-process.ts'

const TOKEN = 'token-of-the-rotated-instance'
let here: Scratch
beforeAll(() => {
  here = scratch()
})
afterAll(() => here.clear())

const rotate = () =>
  promisify(execFile)(process.execPath, [cli, 'rotate-key', '--data-dir', here.path('data')], {
    env: cleanEnv({}),
  }).catch((error: { stdout: string; stderr: string }) => error)

const start = () =>
  here.start({
    dataDir: here.path('data'),
    env: { DESKFORGE_ROOT_PASSWORD: 'a long enough password', DESKFORGE_ROOT_TOKEN: TOKEN },
  })

async function ask(url: string, method: string, path: string, body?: FormData | object) {
  const isForm = body instanceof FormData
  const headers = { 'private-token': TOKEN, ...(isForm ? {} : { 'content-type': 'application/json' }) }
  const answer = await fetch(`${url}/api/v4${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  expect(answer.status, `${method} ${path}: ${text}`).toBeLessThan(300)
  return { text, body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {} }
}

describe('deskforge rotate-key', () => {
  it('reports that there is no instance', async () => {
    expect((await rotate()).stderr).toBe(`There is no instance in ${here.path('data')}.\n`)
  })

  it('waits until no instance uses the folder, and then every value opens with the new key', async () => {
    const first = start()
    const url = await first.url
    const { id } = (await ask(url, 'POST', '/projects', { name: 'Kept' })).body
    await ask(url, 'POST', `/projects/${id}/variables`, { key: 'TIDE', value: 'high at noon' })
    const form = new FormData()
    form.set('name', 'chart.txt')
    form.set('file', new Blob(['rocks ahead']), 'chart.txt')
    const file = (await ask(url, 'POST', `/projects/${id}/secure_files`, form)).body
    await ask(url, 'PUT', '/application/settings', { recaptcha_private_key: 'not for everybody' })

    const keyFile = join(here.path('data'), 'secrets.key')
    const key = readFileSync(keyFile, 'utf8')
    const refused = await rotate()
    expect([refused.stdout, refused.stderr.split('\n').length]).toEqual(['', 2])
    expect(readFileSync(keyFile, 'utf8')).toBe(key)
    await first.stop('SIGTERM')

    expect((await rotate()).stdout).toMatch(
      /^The instance has a new key; \d+ values were sealed with it\.\n$/,
    )
    expect(readFileSync(keyFile, 'utf8')).not.toBe(key)
    const again = await start().url
    const variable = await ask(again, 'GET', `/projects/${id}/variables/TIDE`)
    expect(variable.body).toMatchObject({ value: 'high at noon' })
    const download = await ask(again, 'GET', `/projects/${id}/secure_files/${file['id']}/download`)
    expect(download.text).toBe('rocks ahead')
    const settings = await ask(again, 'GET', '/application/settings')
    expect(settings.body).toMatchObject({ recaptcha_private_key: 'not for everybody' })
  })
})
