import { createLocalJWKSet, jwtVerify } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'

import { CI_MARKER, JOB_TOKEN_LOGIN, USER_VARIABLES } from '../../../server/lib/aliases.ts'
import { variablesForRules } from '../../../server/domains/ci/job_variables/item.ts'
import { predefinedForPipeline } from '../../../server/domains/ci/job_variables/predefined.ts'
import { isProtectedRef } from '../../../server/domains/ci/job_variables/predefined.ts'
import { variablesOfJob, type JobVariable } from '../../../server/domains/ci/job_variables/of-job.ts'
import * as jobs from '../../../server/domains/ci/jobs/store.ts'
import * as pipelines from '../../../server/domains/ci/pipelines/store.ts'
import { projectById } from '../../../server/domains/projects/index.ts'
import { world } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'

const here = await world({ sshPort: 0 })
const root = here.as(here.root)
const group = await here.make.group()
const made = await here.make.project({ namespace_id: group.id, description: 'For $CI_JOB_TOKEN' })
const user = here.make.user({ username: 'dev' })
await here.make.member('projects', made.id, user, 30)
const MESSAGE = 'First $CI_JOB_TOKEN line\n\nMore of it\n'
const [sha = ''] = fill(here, made, [
  {
    message: MESSAGE,
    author: 'Ada',
    email: 'ada@example.test',
    time: 1_700_000_000,
    files: { 'a.txt': 'a' },
  },
])
const project = () => projectById(here.ctx().db, made.id)!
const NOW = '2026-11-22T05:00:00.000Z'
const runner = { id: 7, description: 'On my table', tag_list: ['docker'] }

interface Making {
  pipeline?: Partial<pipelines.PipelineRow>
  job?: Partial<jobs.JobRow>
  options?: object
  configured?: object[]
  own?: object[]
  pipelineVariables?: Record<string, string>
}

/** Inserts a pipeline with one job, as its creation does. */
function make({ pipeline, job, options = {}, configured = [], own, pipelineVariables = {} }: Making = {}) {
  const ctx = here.ctx()
  const times = { created_at: NOW, updated_at: NOW }
  const common = { project_id: made.id, user_id: user.id, ref: 'main' }
  const row = pipelines.insert(ctx.db, {
    ...common,
    ...times,
    source: 'push',
    status: 'running',
    sha,
    ...pipeline,
  })
  const columns = {
    pipeline_id: row.id,
    name: 'test',
    base: 'test',
    stage: 'test',
    stage_index: 1,
    status: 'running',
  }
  const values = { ...common, ...times, ...columns, started_at: NOW, ...job }
  const names = Object.keys(values)
  const { id } = ctx.db.exec(
    `INSERT INTO ci_jobs (${names.map((name) => `"${name}"`).join()}) VALUES (${names.map(() => '?').join()})`,
    ...(Object.values(values) as string[]),
  )
  const sealed = own ? ctx.secrets.seal(JSON.stringify(own), 'ci_job_details.own_variables') : null
  ctx.db.exec(
    'INSERT INTO ci_job_details (job_id, options, variables, own_variables) VALUES (?, ?, ?, ?)',
    id,
    JSON.stringify(options),
    JSON.stringify(configured),
    sealed,
  )
  for (const [key, value] of Object.entries(pipelineVariables))
    ctx.db.exec(
      'INSERT INTO ci_pipeline_variables (pipeline_id, key, value) VALUES (?, ?, ?)',
      row.id,
      key,
      ctx.secrets.seal(value, 'ci_pipeline_variables.value'),
    )
  return { pipeline: row, job: jobs.byId(ctx.db, id)!, details: jobs.detailsOf(ctx.db, id)! }
}

async function variablesOf(making?: Making): Promise<Map<string, JobVariable>> {
  const rows = make(making)
  const all = await variablesOfJob(here.ctx(), { ...rows, project: project(), runner, token: 'glcbt-token' })
  expect(new Set(all.map(({ key }) => key)).size).toBe(all.length)
  return new Map(all.map((variable) => [variable.key, variable]))
}

const valuesIn = (all: ReadonlyMap<string, JobVariable>) =>
  Object.fromEntries([...all.values()].map(({ key, value }) => [key, value]))

const set = async (owner: string, key: string, value: string, more: object = {}) =>
  expect((await root.post(`${owner}/variables`, { key, value, ...more })).status).toBe(201)

beforeAll(async () => {
  const [own, around, instance] = [`/projects/${made.id}`, `/groups/${group.id}`, '/admin/ci']
  for (const owner of [instance, around, own]) await set(owner, 'NEAR', owner === own ? 'project' : 'further')
  await set(own, 'PLACE', 'anywhere')
  await set(own, 'PLACE', 'in review', { environment_scope: 'review/*' })
  await set(own, 'GUARDED', 'guarded', { protected: true })
  await set(own, 'HIDDEN', 'hidden-value', { masked: true })
  await set(own, 'FILE', '{"$A": 1}', { variable_type: 'file' })
  await set(own, 'RAW', '$A', { raw: true })
  await set(own, 'BUILT', '$YAML and $RAW and $FILE and $NONE')
})

describe('the variables of a job', () => {
  it('describe the project and the server', async () => {
    const all = await variablesOf()
    const path = `${group.full_path}/${made.path}`
    expect(valuesIn(all)).toMatchObject({
      CI: 'true',
      CI_SERVER: 'yes',
      [CI_MARKER]: 'true',
      CI_SERVER_URL: here.url,
      CI_API_V4_URL: `${here.url}/api/v4`,
      CI_PROJECT_ID: String(made.id),
      CI_PROJECT_NAME: made.path,
      CI_PROJECT_PATH: path,
      CI_PROJECT_NAMESPACE: group.full_path,
      CI_PROJECT_ROOT_NAMESPACE: group.full_path,
      CI_PROJECT_URL: made.web_url,
      CI_PROJECT_VISIBILITY: 'private',
      CI_DEFAULT_BRANCH: 'main',
      CI_COMMIT_SHA: sha,
      CI_COMMIT_SHORT_SHA: sha.slice(0, 8),
      CI_COMMIT_BEFORE_SHA: '0'.repeat(40),
      CI_COMMIT_REF_NAME: 'main',
      CI_COMMIT_REF_SLUG: 'main',
      CI_COMMIT_BRANCH: 'main',
      CI_COMMIT_REF_PROTECTED: 'false',
      CI_COMMIT_TITLE: 'First $CI_JOB_TOKEN line',
      CI_COMMIT_DESCRIPTION: 'More of it',
      CI_COMMIT_AUTHOR: 'Ada <ada@example.test>',
      CI_COMMIT_TIMESTAMP: '2023-11-14T22:13:20+00:00',
      CI_PIPELINE_SOURCE: 'push',
      CI_PIPELINE_CREATED_AT: '2026-11-22T05:00:00Z',
      CI_JOB_STARTED_AT: '2026-11-22T05:00:00Z',
      CI_JOB_NAME: 'test',
      CI_NODE_TOTAL: '1',
      CI_RUNNER_ID: '7',
      CI_RUNNER_DESCRIPTION: 'On my table',
      CI_RUNNER_TAGS: 'docker',
      [USER_VARIABLES.id]: String(user.id),
      [USER_VARIABLES.login]: 'dev',
      [USER_VARIABLES.email]: 'dev@example.test',
      [USER_VARIABLES.name]: 'DEV',
      CI_BUILD_REF: sha,
    })
    const id = all.get('CI_JOB_ID')!.value
    expect(all.get('CI_JOB_URL')!.value).toBe(`${made.web_url}/-/jobs/${id}`)
    expect(all.get('CI_PIPELINE_URL')!.value).toBe(
      `${made.web_url}/-/pipelines/${all.get('CI_PIPELINE_ID')!.value}`,
    )
    for (const name of [
      'CI_COMMIT_TAG',
      'CI_ENVIRONMENT_NAME',
      'CI_OPEN_MERGE_REQUESTS',
      'CI_PIPELINE_TRIGGERED',
    ])
      expect(all.has(name)).toBe(false)
  })

  it('mask the job token, and the repository address with the token', async () => {
    const all = await variablesOf()
    const token = { value: 'glcbt-token', public: false, masked: true }
    expect(all.get('CI_JOB_TOKEN')).toEqual({ key: 'CI_JOB_TOKEN', ...token })
    expect(all.get('CI_BUILD_TOKEN')).toEqual({ key: 'CI_BUILD_TOKEN', ...token })
    const address = `${here.url.replace('://', `://${JOB_TOKEN_LOGIN}:glcbt-token@`)}/${group.full_path}/${made.path}.git`
    expect(all.get('CI_REPOSITORY_URL')).toMatchObject({ value: address, public: false, masked: true })
    expect(all.get('CI_COMMIT_MESSAGE')).toMatchObject({ value: MESSAGE.trimEnd(), raw: true })
    expect(all.get('CI_PROJECT_DESCRIPTION')).toMatchObject({ value: 'For $CI_JOB_TOKEN', raw: true })
  })

  it('have the format of the runner protocol', async () => {
    const all = await variablesOf({ configured: [{ key: 'LITERAL', value: '$A', raw: true }] })
    expect(all.get('CI')).toEqual({ key: 'CI', value: 'true', public: true, masked: false })
    expect(all.get('HIDDEN')).toEqual({ key: 'HIDDEN', value: 'hidden-value', public: false, masked: true })
    expect(all.get('FILE')).toEqual({
      key: 'FILE',
      value: '{"$A": 1}',
      public: false,
      masked: false,
      file: true,
    })
    expect(all.get('RAW')).toEqual({ key: 'RAW', value: '$A', public: false, masked: false, raw: true })
    expect(all.get('LITERAL')).toEqual({
      key: 'LITERAL',
      value: '$A',
      public: true,
      masked: false,
      raw: true,
    })
  })

  it('have the value with the highest precedence', async () => {
    const configured = ['NEAR', 'CI_JOB_STAGE', 'GIVEN', 'PLAYED', 'YAML'].map((key) => ({
      key,
      value: 'yaml',
    }))
    const making: Making = {
      configured: [{ key: 'YAML', value: 'weaker' }, ...configured],
      pipelineVariables: { GIVEN: 'given', PLAYED: 'given' },
      own: [{ key: 'PLAYED', value: 'played' }],
    }
    expect(valuesIn(await variablesOf(making))).toMatchObject({
      YAML: 'yaml',
      CI_JOB_STAGE: 'yaml',
      NEAR: 'project',
      GIVEN: 'given',
      PLAYED: 'played',
    })
    expect(valuesIn(await variablesOf({ pipelineVariables: { NEAR: 'given' } }))).toMatchObject({
      NEAR: 'given',
    })
  })

  it('are expanded in each other', async () => {
    const all = await variablesOf({ configured: [{ key: 'YAML', value: 'on $CI_COMMIT_REF_NAME' }] })
    expect(all.get('BUILT')!.value).toBe('on main and $RAW and $FILE and $NONE')
  })

  it('include the dotenv variables of dependencies, with a lower precedence than stored variables', async () => {
    const { pipeline, job } = make({ job: { name: 'build', stage_index: 0, status: 'success' } })
    const ctx = here.ctx()
    for (const [key, value] of Object.entries({ VERSION: '1.2', NEAR: 'exported', CI_JOB_STAGE: 'mine' }))
      ctx.db.exec(
        'INSERT INTO ci_job_exports (job_id, key, value) VALUES (?, ?, ?)',
        job.id,
        key,
        ctx.secrets.seal(value, 'ci_job_exports.value'),
      )
    const later = make({ job: { pipeline_id: pipeline.id } })
    const all = await variablesOfJob(ctx, { ...later, pipeline, project: project(), runner, token: 't' })
    const values = Object.fromEntries(all.map(({ key, value }) => [key, value]))
    expect(values).toMatchObject({ VERSION: '1.2', NEAR: 'project', CI_JOB_STAGE: 'mine' })
  })

  it('are limited to their environment and to protected refs', async () => {
    expect(valuesIn(await variablesOf())).toMatchObject({ PLACE: 'anywhere' })
    const inReview = await variablesOf({ job: { environment: 'review/a', environment_action: 'start' } })
    expect(valuesIn(inReview)).toMatchObject({ PLACE: 'in review', CI_ENVIRONMENT_NAME: 'review/a' })
    expect(inReview.has('GUARDED')).toBe(false)
    const guarded = await variablesOf({ job: { protected: true }, pipeline: { protected: true } })
    expect(valuesIn(guarded)).toMatchObject({ GUARDED: 'guarded', CI_COMMIT_REF_PROTECTED: 'true' })
  })

  it('include the message of a tag, but not of a branch', async () => {
    const tag = { tag_name: 'v1.0', ref: 'main', message: 'One point $NULL' }
    expect((await root.post(`/projects/${made.id}/repository/tags`, tag)).status).toBe(201)
    const all = await variablesOf({ pipeline: { ref: 'v1.0', tag: true } })
    expect(valuesIn(all)).toMatchObject({ CI_COMMIT_TAG: 'v1.0', CI_COMMIT_TAG_MESSAGE: 'One point $NULL' })
    expect(valuesIn(all)).toMatchObject({ CI_COMMIT_REF_NAME: 'v1.0', CI_COMMIT_REF_SLUG: 'v1-0' })
    expect(all.has('CI_COMMIT_BRANCH')).toBe(false)
  })

  it('describe a merge request, with its source branch as the ref name', async () => {
    const predefined = [
      { key: 'CI_MERGE_REQUEST_IID', value: '3' },
      { key: 'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME', value: 'Fix/It' },
    ]
    const pipeline = {
      ref: 'refs/merge-requests/3/head',
      source: 'merge_request_event',
      merge_request_id: 99,
      predefined: JSON.stringify(predefined),
    }
    const all = await variablesOf({ pipeline })
    expect(valuesIn(all)).toMatchObject({
      CI_MERGE_REQUEST_IID: '3',
      CI_COMMIT_REF_NAME: 'Fix/It',
      CI_COMMIT_REF_SLUG: 'fix-it',
      CI_PIPELINE_SOURCE: 'merge_request_event',
      CI_OPEN_MERGE_REQUESTS: `${group.full_path}/${made.path}!3`,
    })
    expect(all.has('CI_COMMIT_BRANCH')).toBe(false)
  })

  it('list the open merge requests of the branch', async () => {
    fill(here, made, [{ branch: 'topic', files: { 'b.txt': 'b' } }])
    const request = { source_branch: 'topic', target_branch: 'main', title: 'Topic' }
    const { body } = await root.post(`/projects/${made.id}/merge_requests`, request)
    const all = await variablesOf({ pipeline: { ref: 'topic' } })
    expect(all.get('CI_OPEN_MERGE_REQUESTS')!.value).toBe(`${group.full_path}/${made.path}!${body.iid}`)
    await root.put(`/projects/${made.id}/merge_requests/${body.iid}`, { state_event: 'close' })
    expect((await variablesOf({ pipeline: { ref: 'topic' } })).has('CI_OPEN_MERGE_REQUESTS')).toBe(false)
  })

  it('include ID tokens that the instance signs', async () => {
    const id_tokens = {
      ONE: { aud: 'https://$HIDDEN_HOST/$CI_PROJECT_ID' },
      TWO: { aud: ['a', 'b'] },
      NEAR: { aud: 'a' },
    }
    const job = { timeout: 600, environment: 'review/a', environment_action: 'start' }
    const all = await variablesOf({ options: { id_tokens }, job })
    expect(all.get('ONE')).toMatchObject({ public: false, masked: true })
    expect(all.get('NEAR')!.value).toBe('project')
    const keys = createLocalJWKSet((await root.get('!/oauth/discovery/keys')).body)
    const verified = await jwtVerify(all.get('ONE')!.value, keys, {
      issuer: here.url,
      audience: `https://$HIDDEN_HOST/${made.id}`,
    })
    expect(verified.payload).toMatchObject({
      sub: `project_path:${group.full_path}/${made.path}:ref_type:branch:ref:main`,
      namespace_path: group.full_path,
      project_id: String(made.id),
      user_login: 'dev',
      pipeline_source: 'push',
      job_id: all.get('CI_JOB_ID')!.value,
      ref_path: 'refs/heads/main',
      ref_protected: 'false',
      sha,
      runner_id: 7,
      environment: 'review/a',
    })
    expect(verified.payload.exp! - verified.payload.iat!).toBe(600)
    const two = await jwtVerify(all.get('TWO')!.value, keys, { audience: 'b' })
    expect(two.payload.jti).not.toBe(verified.payload.jti)
  })

  it('truncate a message that is too long for an environment variable', async () => {
    const message = `Long\n\n${'ä'.repeat(80_000)}`
    const [long] = fill(here, made, [{ branch: 'long', message, files: { 'c.txt': 'c' } }])
    const all = await variablesOf({ pipeline: { ref: 'long', sha: long! } })
    const value = all.get('CI_COMMIT_MESSAGE')!.value
    expect(Buffer.byteLength(value)).toBeLessThanOrEqual(100_000)
    expect(message.startsWith(value)).toBe(true)
  })

  it('work after the commit and the user were deleted', async () => {
    const missingId = 'f'.repeat(40)
    const all = await variablesOf({ pipeline: { sha: missingId }, job: { user_id: null } })
    expect(all.get('CI_COMMIT_SHA')!.value).toBe(missingId)
    expect(all.has('CI_COMMIT_MESSAGE')).toBe(false)
    expect(all.has(USER_VARIABLES.login)).toBe(false)
  })
})

describe('the variables of a new pipeline', () => {
  const target = { ref: 'main', sha, kind: 'branch', isProtected: false, source: 'web' } as const

  it('are available to rules', async () => {
    const pipeline = { iid: 12, created_at: NOW, name: 'Nightly' }
    const predefined = await predefinedForPipeline(here.ctx(), project(), {
      ...target,
      pipeline,
      user: user as never,
    })
    const values = Object.fromEntries(predefined.map(({ key, value }) => [key, value]))
    expect(values).toMatchObject({
      CI_PIPELINE_SOURCE: 'web',
      CI_PIPELINE_IID: '12',
      CI_PIPELINE_NAME: 'Nightly',
    })
    expect(values).toMatchObject({
      CI_COMMIT_BRANCH: 'main',
      CI_BUILD_REF: sha,
      [USER_VARIABLES.login]: 'dev',
    })
    for (const name of ['CI_PIPELINE_ID', 'CI_JOB_TOKEN', 'CI_REPOSITORY_URL'])
      expect(values).not.toHaveProperty(name)
  })

  it('omit the commit if there is none', async () => {
    const keys = (await predefinedForPipeline(here.ctx(), project(), null)).map(({ key }) => key)
    expect(keys).toContain('CI_PROJECT_ID')
    expect(keys.filter((key) => key.startsWith('CI_COMMIT'))).toEqual([])
  })

  it('give the variables of the request precedence over stored ones', () => {
    const pipelineVariables = [{ key: 'NEAR', value: 'given', raw: true }]
    const all = variablesForRules(here.ctx(), project(), { isProtected: false, pipelineVariables })
    expect(all.filter(({ key }) => key === 'NEAR').map(({ value }) => value)).toEqual(['project', 'given'])
    expect(all.at(-1)).toEqual({ key: 'NEAR', value: 'given', raw: true })
  })
})

describe('a protected ref', () => {
  it('is a branch or a tag that a protection rule of its kind matches', async () => {
    expect((await root.post(`/projects/${made.id}/protected_tags`, { name: 'v*' })).status).toBe(201)
    expect((await root.post(`/projects/${made.id}/protected_branches`, { name: 'stable' })).status).toBe(201)
    const isProtected = (kind: 'branch' | 'tag', name: string) =>
      isProtectedRef(here.ctx().db, made.id, { kind, name })
    expect([isProtected('tag', 'v1'), isProtected('branch', 'v1')]).toEqual([true, false])
    expect([isProtected('tag', 'stable'), isProtected('branch', 'stable')]).toEqual([false, true])
  })
})
