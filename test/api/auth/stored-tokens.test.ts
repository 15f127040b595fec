import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import BetterSqlite3 from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'

import { dataPaths } from '../../../server/config.ts'
import { startServer } from '../../../server/index.ts'
import { signIn } from '../../support/browser-session.ts'
import { world, type Answer, type World } from '../../support/world.ts'
import { runnerClient, pipelinesForRunners } from '../ci/runner.ts'
import { provider } from '../scim/support.ts'

let w: World

beforeAll(async () => {
  w = await world({ logLevel: 'debug' })
})

/** Returns the files of the data folder that contain one of the texts, with the name of the text. */
function filesWith(texts: Readonly<Record<string, string>>): string[] {
  const entries = readdirSync(w.dataDir, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.flatMap((file) => {
    const bytes = readFileSync(file)
    return Object.entries(texts)
      .filter(([, text]) => bytes.includes(text))
      .map(([name]) => `${name} in ${file.slice(w.dataDir.length + 1)}`)
  })
}

/** Returns the body of a response with a secret. Throws for an error status. */
async function brings(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, text, body } = await answer
  if (status >= 300) throw new Error(`${status} ${text}`)
  return body
}

async function everySecret(): Promise<Record<string, string>> {
  const root = w.as(w.root)
  const window = await signIn(w)
  const group = await w.make.group()
  const project = await w.make.project({ namespace_id: group.id, with: 'readme' })
  const soon = new Date(Date.parse(w.ctx().now) + 30 * 86_400_000).toISOString().slice(0, 10)
  const scoped = { name: 'x', scopes: ['read_api'], expires_at: soon }
  const at = `/projects/${project.id}`
  const reading = { name: 'x', scopes: ['read_repository'] }
  const application = await brings(
    window.post('/-/admin/applications', {
      name: 'App',
      redirect_uri: 'http://127.0.0.1/cb',
      scopes: 'api',
    }),
  )
  const grant = { grant_type: 'password', username: 'root', password: w.root.password }
  const pair = await brings(w.as(null).post('!/oauth/token', new URLSearchParams(grant)))
  const hook = { url: 'http://127.0.0.1:9/', token: 'secret-of-the-webhook-5u1r' }
  await brings(root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true }))
  await brings(root.post(`${at}/hooks`, hook))
  const variable = 'value-of-the-variable-8c4k'
  await brings(root.post(`${at}/variables`, { key: 'SECRET', value: variable }))
  const forReset = await brings(root.post(`${at}/runners/reset_registration_token`))
  const registered = await brings(w.as(null).post('/runners', { token: forReset.token }))
  return {
    'personal token': (await brings(root.post('/users/1/personal_access_tokens', scoped))).token,
    'impersonation token': (await brings(root.post('/users/1/impersonation_tokens', scoped))).token,
    'project token': (await brings(root.post(`${at}/access_tokens`, scoped))).token,
    'group token': (await brings(root.post(`/groups/${group.id}/access_tokens`, scoped))).token,
    'deploy token': (await brings(root.post(`${at}/deploy_tokens`, reading))).token,
    'deploy token of a group': (await brings(root.post(`/groups/${group.id}/deploy_tokens`, reading))).token,
    'trigger token': (await brings(root.post(`${at}/triggers`, { description: 'x' }))).token,
    'registration token of a project': (await brings(root.get(at))).runners_token,
    'registration token of a group': (await brings(root.get(`/groups/${group.id}`))).runners_token,
    'registration token of the instance': (await brings(window.get('/-/runners/registration'))).token,
    'registration token before a reset': project.runners_token,
    'token of a runner': registered.token,
    'token of a job': await jobToken(),
    'instance id of feature flags': (
      await brings(window.post(`/-/projects/${project.id}/feature_flags/client`))
    ).instance_id,
    'token of SCIM': (await provider(w, w.root, group)).token,
    'secret of an application': application.secret,
    'access token': pair.access_token,
    'refresh token': pair.refresh_token,
    session: window.cookie.split('=')[1]!,
    'token of a webhook': hook.token,
    'value of a variable': variable,
    'token of the start': w.root.token,
    password: w.root.password,
  }
}

async function jobToken(): Promise<string> {
  const { make } = await pipelinesForRunners(w)
  await make('build: {script: [make]}')
  return (await runnerClient(w).take()).token
}

describe('the stored form of tokens', () => {
  it('contains no usable text', async () => {
    const secrets = await everySecret()
    expect(
      Object.values(secrets).filter((secret) => typeof secret !== 'string' || secret.length < 16),
    ).toEqual([])
    // Sends the secrets in the query, which a log could contain.
    for (const token of Object.values(secrets))
      await w.as(null).get(`/version?private_token=${encodeURIComponent(token)}`)
    await w.drain()
    const control = { 'a name that is no secret': 'App' }
    expect(filesWith(control).some((file) => file.includes('.db'))).toBe(true)
    expect(filesWith(secrets)).toEqual([])
  })
})

/** Restores the schema of an older release, which stored registration tokens as text. */
function asBefore(file: string, clear: { project: [number, string]; group: [number, string] }): void {
  const db = new BetterSqlite3(file)
  db.exec(`
    DROP INDEX projects_runners_token_digest;
    DROP INDEX namespaces_runners_token_digest;
    ALTER TABLE projects DROP COLUMN runners_token_digest;
    ALTER TABLE namespaces DROP COLUMN runners_token_digest;
    CREATE INDEX projects_runners_token ON projects (runners_token);
    CREATE INDEX namespaces_runners_token ON namespaces (runners_token) WHERE runners_token IS NOT NULL;
    DELETE FROM schema_migrations WHERE name LIKE '%_namespaces_runners_token_digests';`)
  const [projectId, ofProject] = clear.project
  const [groupId, ofGroup] = clear.group
  db.prepare('UPDATE projects SET runners_token = ? WHERE id = ?').run(ofProject, projectId)
  db.prepare('UPDATE namespaces SET runners_token = ? WHERE id = ?').run(ofGroup, groupId)
  db.close()
}

describe('registration tokens that an older release stored as text', () => {
  it('are sealed at the start, still work, and leave no trace in the file', async () => {
    const old = await world()
    const group = await old.make.group()
    const project = await old.make.project({ namespace_id: group.id })
    await old.instance.close()
    const { database, backups } = dataPaths(old.dataDir)
    const [ofProject, ofGroup] = ['GR1348941-of-the-project-7t2', 'GR1348941-of-the-group-93kd']
    asBefore(database, { project: [project.id, ofProject], group: [group.id, ofGroup] })
    expect(readFileSync(database).includes(ofProject)).toBe(true)

    const instance = await startServer({
      dataDir: old.dataDir,
      port: 0,
      strict: true,
      temporary: true,
      logLevel: 'silent',
    })
    try {
      const left = [database, `${database}-wal`].filter((file) => existsSync(file))
      const holding = left.filter((file) => {
        const bytes = readFileSync(file)
        return bytes.includes(ofProject) || bytes.includes(ofGroup)
      })
      expect(holding).toEqual([])
      const ask = (path: string, init: RequestInit = {}) =>
        fetch(`${instance.url}/api/v4${path}`, {
          headers: { 'private-token': old.root.token, 'content-type': 'application/json' },
          ...init,
        })
      expect(await (await ask(`/projects/${project.id}`)).json()).toMatchObject({ runners_token: ofProject })
      expect(await (await ask(`/groups/${group.id}`)).json()).toMatchObject({ runners_token: ofGroup })
      for (const token of [ofProject, ofGroup]) {
        const body = JSON.stringify({ token })
        expect(
          (await ask('/runners', { method: 'POST', body, headers: { 'content-type': 'application/json' } }))
            .status,
        ).toBe(201)
      }
      expect(readdirSync(backups).length).toBe(1)
    } finally {
      await instance.close()
    }
  })
})
