import { beforeAll, describe, expect, test } from 'vitest'

import { tokenDigest } from '../../../server/lib/security/crypto.ts'
import { world, type TestUser } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'

const w = await world()
const root = w.as(w.root)

const CONFIG = `
work:
  script: [make]
  rules:
    - if: $CI_PIPELINE_SOURCE == "trigger" || $CI_PIPELINE_SOURCE == "pipeline" || $CI_PIPELINE_SOURCE == "api"
`

let owner: TestUser
let colleague: TestUser
let developer: TestUser
let stranger: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
// oxlint-disable-next-line typescript/no-explicit-any
let trigger: any
let at: string

beforeAll(async () => {
  project = await w.make.project({ visibility: 'private' })
  fill(w, project, [{ branch: 'main', files: { '.gitlab-ci.yml': CONFIG } }])
  fill(w, project, [{ branch: 'bare', files: { README: 'nothing here' } }])
  owner = w.make.user()
  colleague = w.make.user()
  developer = w.make.user()
  stranger = w.make.user()
  await w.make.member('projects', project.id, owner, 40)
  await w.make.member('projects', project.id, colleague, 40)
  await w.make.member('projects', project.id, developer, 30)
  at = `/projects/${project.id}/triggers`
  trigger = (await w.as(owner).post(at, { description: 'from outside' })).body
})

describe('triggers of a project', () => {
  test('are created with a token that only their owner can read', async () => {
    expect(Object.keys(trigger)).toEqual([
      'id',
      'token',
      'description',
      'created_at',
      'updated_at',
      'last_used',
      'owner',
    ])
    expect(trigger).toMatchObject({ description: 'from outside', last_used: null, owner: { id: owner.id } })
    expect(trigger.token).toMatch(/^glptt-[\w-]{40}$/)
    const mine = await w.as(owner).get(`${at}/${trigger.id}`)
    expect(mine.body.token).toBe(trigger.token)
    const theirs = await w.as(colleague).get(at)
    expect(theirs.headers.get('x-total')).toBe('1')
    expect(theirs.body[0].token).toBe(trigger.token.slice(6, 10))
    const stored = w.ctx().db.one<{ token: string }>('SELECT token FROM ci_triggers WHERE id = ?', trigger.id)
    expect(stored!.token).not.toContain(trigger.token)
  })

  test('can be changed by their owner and deleted by maintainers', async () => {
    const { body } = await w.as(owner).post(at, { description: 'second' })
    const changed = await w.as(owner).put(`${at}/${body.id}`, { description: 'third' })
    expect(changed).toMatchObject({ status: 200, body: { description: 'third', token: body.token } })
    expect((await w.as(owner).put(`${at}/${body.id}`, {})).body.description).toBe('third')
    expect((await w.as(colleague).put(`${at}/${body.id}`, { description: 'x' })).status).toBe(403)
    expect((await w.as(colleague).delete(`${at}/${body.id}`)).status).toBe(204)
    const after = await w.as(owner).get(`${at}/${body.id}`)
    expect(after).toMatchObject({ status: 404, body: { message: '404 Trigger Not Found' } })
  })

  test('cannot be created below the Maintainer role or without a valid description', async () => {
    expect((await w.as(developer).get(at)).status).toBe(403)
    expect((await w.as(developer).post(at, { description: 'x' })).status).toBe(403)
    expect((await w.as(stranger).get(at)).status).toBe(404)
    expect((await w.as(owner).post(at, {})).body).toEqual({ error: 'description is missing' })
    const blank = await w.as(owner).post(at, { description: ' ' })
    expect(blank).toMatchObject({ status: 400, body: { message: { description: ["can't be blank"] } } })
    const long = await w.as(owner).post(at, { description: 'x'.repeat(256) })
    expect(long.body.message.description).toEqual(['is too long (maximum is 255 characters)'])
    expect((await w.as(owner).get(`${at}/999999`)).status).toBe(404)
  })
})

function variablesOf(id: number) {
  return root.get(`/projects/${project.id}/pipelines/${id}/variables`)
}

describe('running a trigger', () => {
  const pull = (params: object, path = `/projects/${project.id}/trigger/pipeline`) =>
    w.as(null).post(path, params as Record<string, unknown>)

  test('starts a pipeline as its owner', async () => {
    const made = await pull({ token: trigger.token, ref: 'main', variables: { DEPLOY: 'yes' } })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ source: 'trigger', ref: 'main', user: { id: owner.id } })
    const { body } = await variablesOf(made.body.id)
    const payload = body.find(({ key }: { key: string }) => key === 'TRIGGER_PAYLOAD')
    expect(payload).toMatchObject({ variable_type: 'file' })
    expect(JSON.parse(payload.value)).toMatchObject({ ref: 'main', variables: { DEPLOY: 'yes' } })
    expect(payload.value).not.toContain(trigger.token)
    expect(body).toContainEqual(expect.objectContaining({ key: 'DEPLOY', value: 'yes' }))
    const { body: after } = await w.as(owner).get(`${at}/${trigger.id}`)
    expect(after.last_used).not.toBeNull()
  })

  test('accepts forms and the payload of webhooks', async () => {
    const form = new URLSearchParams({ token: trigger.token, ref: 'main', 'variables[A]': 'b' })
    const path = encodeURIComponent(project.path_with_namespace)
    const made = await w.as(stranger).post(`/projects/${path}/trigger/pipeline`, form)
    expect(made).toMatchObject({ status: 201, body: { source: 'trigger' } })
    const hook = await pull(
      { object_kind: 'push', ref: 'refs/heads/other', commits: [{ id: 'abc' }] },
      `/projects/${project.id}/ref/main/trigger/pipeline?token=${trigger.token}`,
    )
    expect(hook).toMatchObject({ status: 201, body: { ref: 'main' } })
    const { body } = await variablesOf(hook.body.id)
    expect(JSON.parse(body[0].value)).toMatchObject({ object_kind: 'push', commits: [{ id: 'abc' }] })
  })

  test('returns the error', async () => {
    const token = trigger.token
    expect((await pull({ token, ref: 'none' })).body).toEqual({ message: { base: ['Reference not found'] } })
    expect((await pull({ token, ref: 'bare' })).body).toEqual({
      message: { base: ['Missing CI config file'] },
    })
    const odd = { status: 400, body: { message: 'variables needs to be a map of key-valued strings' } }
    expect(await pull({ token, ref: 'main', variables: { A: 1 } })).toMatchObject(odd)
    expect(await pull({ token, ref: 'main', variables: { A: { B: 'c' } } })).toMatchObject(odd)
    expect((await pull({ token, ref: 'main', variables: ['A'] })).body).toEqual({
      error: 'variables is invalid',
    })
    const key = await pull({ token, ref: 'main', variables: { 'a-b': 'c' } })
    expect(key.body.message).toEqual({ 'variables.key': ["can contain only letters, digits and '_'."] })
    expect((await pull({ ref: 'main' })).body).toEqual({ error: 'token is missing' })
    const unknown = { status: 404, body: { message: '404 Not Found' } }
    expect(await pull({ token: 'glptt-nothing', ref: 'main' })).toMatchObject(unknown)
    expect(await pull({ token, ref: 'main' }, '/projects/99999/trigger/pipeline')).toMatchObject(unknown)
    const other = await w.make.project({ visibility: 'public' })
    expect(await pull({ token, ref: 'main' }, `/projects/${other.id}/trigger/pipeline`)).toMatchObject(
      unknown,
    )
  })

  test('requires an owner who may still create pipelines', async () => {
    const leaver = w.make.user()
    await w.make.member('projects', project.id, leaver, 40)
    const { body } = await w.as(leaver).post(at, { description: 'of a user who leaves' })
    await root.delete(`/projects/${project.id}/members/${leaver.id}`)
    expect(await pull({ token: body.token, ref: 'main' })).toMatchObject({
      status: 400,
      body: { message: { base: ['Insufficient permissions to create a new pipeline'] } },
    })
  })

  test('with the token of a running job starts a downstream pipeline', async () => {
    const first = await root.post(`/projects/${project.id}/pipeline`, { ref: 'main' })
    const ctx = w.ctx()
    const job = ctx.db.one<{ id: number }>('SELECT id FROM ci_jobs WHERE pipeline_id = ?', first.body.id)!
    ctx.db.exec(
      `UPDATE ci_jobs SET status = 'running', user_id = ?, token_digest = ? WHERE id = ?`,
      owner.id,
      tokenDigest('glcbt-running'),
      job.id,
    )
    const made = await pull({ token: 'glcbt-running', ref: 'main' })
    expect(made).toMatchObject({ status: 201, body: { source: 'pipeline', user: { id: owner.id } } })
    const row = ctx.db.one('SELECT * FROM ci_pipelines WHERE id = ?', made.body.id)
    expect(row).toMatchObject({ upstream_pipeline_id: first.body.id, upstream_job_id: job.id })
    ctx.db.exec(`UPDATE ci_jobs SET user_id = ? WHERE id = ?`, stranger.id, job.id)
    expect((await pull({ token: 'glcbt-running', ref: 'main' })).status).toBe(404)
    ctx.db.exec(`UPDATE ci_jobs SET status = 'success' WHERE id = ?`, job.id)
    expect(await pull({ token: 'glcbt-running', ref: 'main' })).toMatchObject({
      status: 401,
      body: { message: '401 Unauthorized' },
    })
  })
})
