import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { inspectorOf } from './support.ts'

const here = await world()
const root = here.as(here.root)
const inspector = inspectorOf(here)
const project = await here.make.project({ with: 'readme' })
await inspector.switchTo({ recording: true, kept: true })

/** Values that the inspector may neither return nor store. */
const secrets = new Map<string, string>([['token of the administrator', here.root.token]])
const secret = (name: string): string => {
  const value = `hush-${name}-0123456789`
  secrets.set(name, value)
  return value
}
const also = (name: string, value: unknown): void => {
  expect(value, name).toEqual(expect.any(String))
  secrets.set(name, value as string)
}

it('the inspector does not record secrets in headers, addresses and bodies', async () => {
  const at = `/projects/${project.id}`
  const made = await root.post('/users', {
    email: 'a@example.test',
    username: 'secretive',
    name: 'S',
    password: secret('password'),
    skip_confirmation: true,
  })
  expect(made.status, made.text).toBe(201)
  const token = await root.post(`/users/${made.body.id}/personal_access_tokens`, {
    name: 't',
    scopes: ['api'],
  })
  also('personal token', token.body.token)
  const user = here.as({ ...here.root, token: token.body.token })
  await user.get('/user')
  await here.as(null).get(`/user?private_token=${token.body.token}`)
  await here.as(null).get('/user', { authorization: `Bearer ${token.body.token}` })
  await here
    .as(null)
    .get('/user', { cookie: `_gitlab_session=${secret('cookie')}; other=${secret('second-cookie')}` })
  await here.as(null).get('/user', { 'private-token': secret('wrong-token') })
  const basic = Buffer.from(`root:${secret('basic')}`).toString('base64')
  secrets.set('basic as sent', basic)
  await here
    .as(null)
    .get(`!/root/${project.path}.git/info/refs?service=git-upload-pack`, { authorization: `Basic ${basic}` })
  await here.as(null).post('/user', { private_token: token.body.token })
  for (const variable of [secret('variable'), secret('other-variable')])
    expect((await root.post(`${at}/variables`, { key: `V${variable.length}`, value: variable })).status).toBe(
      201,
    )
  await root.get(`${at}/variables`)
  await root.post(`${at}/pipeline`, {
    ref: 'main',
    variables: [{ key: 'A', value: secret('pipeline-variable') }],
  })
  const trigger = await root.post(`${at}/triggers`, { description: 'x' })
  also('trigger', trigger.body.token)
  await here
    .as(null)
    .post(
      `${at}/trigger/pipeline?token=${trigger.body.token}&ref=main&variables[B]=${secret('trigger-variable')}`,
    )
  await root.post(`${at}/hooks`, {
    url: `https://example.test/x?room=1&token=${secret('hook-address')}`,
    token: secret('hook-token'),
  })
  await root.get(`${at}/hooks`)
  await root.put(`${at}/integrations/slack`, {
    webhook: `https://hooks.example.test/services/${secret('chat-address')}`,
  })
  await root.put('/application/settings', { akismet_api_key: secret('setting') })
  await root.post(`${at}/remote_mirrors`, { url: `https://me:${secret('mirror')}@example.test/x.git` })
  const full = await root.get(at)
  also('runners token', full.body.runners_token)
  await root.get(`/projects?per_page=5`)
  await root.get(`/projects?per_page=5`)
  await root.get(`/projects?per_page=5`)
  const runner = await root.post('/user/runners', { runner_type: 'instance_type' })
  also('runner', runner.body.token)
  const job = await here.as(null).post('/jobs/request', { token: runner.body.token })
  expect([201, 204]).toContain(job.status)
  await here.as(null).post('/oauth/token', {
    grant_type: 'password',
    username: 'secretive',
    password: secrets.get('password'),
  })
  const deploy = await root.post(`${at}/deploy_tokens`, { name: 'd', scopes: ['read_repository'] })
  also('deploy token', deploy.body.token)
  await root.post(`${at}/issues`, { title: 'mine', description: `It is ${token.body.token}` })
  await here.drain()

  const list = await inspector.list()
  expect(list.length).toBeGreaterThan(25)
  const shown: string[] = [JSON.stringify(list), (await inspector.har()).text]
  for (const { id } of list) shown.push(JSON.stringify(await inspector.one(id)))
  // The instance stores the last records when it stops.
  await here.instance.close()
  const folder = join(here.dataDir, 'inspector')
  const files = readdirSync(folder)
  expect(files).toContain('requests.jsonl')
  for (const file of files) shown.push(readFileSync(join(folder, file), 'utf8'))
  for (const [name, value] of secrets) {
    expect(value.length, name).toBeGreaterThan(6)
    const found = shown.findIndex((text) => text.includes(value))
    expect(found < 0 ? null : { name, near: around(shown[found]!, value) }, name).toBeNull()
  }
})

function around(text: string, value: string): string {
  const at = text.indexOf(value)
  return text.slice(Math.max(0, at - 300), at + value.length + 20)
}
