import { beforeAll, describe, expect, test } from 'vitest'

import { world, type TestUser } from '../../support/world.ts'
import { finishJob } from '../../../server/domains/ci/processing/run.ts'
import { fill } from '../repository/fill.ts'
import { upload, zipOf } from './artifact-world.ts'
import { pipelinesOf, type Row } from './creation-world.ts'
import { makeRunner, take } from './run-job.ts'

const w = await world()
const root = w.as(w.root)
const { projectWith, all, jobs, names, variables } = pipelinesOf(w)

/** Starts a pipeline and waits for its trigger jobs. */
async function start(project: { id: number }, params: object = {}, by: TestUser = w.root) {
  const { status, body, text } = await w
    .as(by)
    .post(`/projects/${project.id}/pipeline`, { ref: 'main', ...params })
  if (status !== 201) throw new Error(text)
  await w.drain()
  return body as { id: number; iid: number }
}

const job = (pipelineId: number, name: string): Row => jobs(pipelineId).find((job) => job['name'] === name)!
const made = (jobId: unknown): Row | undefined =>
  w.ctx().db.one('SELECT * FROM ci_pipelines WHERE upstream_job_id = ?', jobId)

let target: Awaited<ReturnType<typeof projectWith>>

beforeAll(async () => {
  target = await projectWith('far: {script: [x]}\nmain-only: {script: [x], only: [main]}')
  fill(w, target, [
    { branch: 'stable', files: { '.gitlab-ci.yml': 'far: {script: [x], only: [pipelines]}' } },
  ])
})

describe('a pipeline of another project', () => {
  test('runs as the user who started the job, with the forwarded variables', async () => {
    const path = target.path_with_namespace
    const project = await projectWith(`
variables: { ROOT: top, REF: stable }
plain: { trigger: ${path} }
branched:
  variables: { OWN: "$ROOT/$CI_PROJECT_NAME" }
  trigger: { project: "${path}", branch: $REF, forward: { pipeline_variables: true } }
bare: { trigger: { project: "${path}", forward: { yaml_variables: false } } }
`)
    const { id } = await start(project, { variables: [{ key: 'GIVEN', value: 'yes' }] })
    const rows = jobs(id)
    expect(rows.map(({ name, kind, status }) => [name, kind, status])).toEqual([
      ['plain', 'bridge', 'success'],
      ['branched', 'bridge', 'success'],
      ['bare', 'bridge', 'success'],
    ])
    const [plain, branched, bare] = rows.map((row) => made(row['id'])!)
    expect(plain).toMatchObject({
      project_id: target.id,
      source: 'pipeline',
      ref: 'main',
      user_id: w.root.id,
    })
    expect(plain).toMatchObject({ upstream_pipeline_id: id })
    expect(names(plain!['id'] as number)).toEqual(['far', 'main-only'])
    expect(variables(plain!['id'] as number)).toEqual({ ROOT: 'top', REF: 'stable' })
    expect(branched).toMatchObject({ ref: 'stable' })
    expect(variables(branched!['id'] as number)).toEqual({
      ROOT: 'top',
      REF: 'stable',
      OWN: `top/${project.path}`,
      GIVEN: 'yes',
    })
    expect(variables(bare!['id'] as number)).toEqual({})
    const { body } = await root.get(`/projects/${project.id}/pipelines/${id}/bridges`)
    expect(body[0].downstream_pipeline).toMatchObject({ id: plain!['id'], project_id: target.id })
  })

  test('is refused with a reason', async () => {
    const dev = w.make.user()
    const hidden = await w.make.project({ visibility: 'private' })
    const seen = await w.make.project({ visibility: 'public' })
    const empty = await projectWith(null)
    const broken = await projectWith('a: {script: [x], when: soon}')
    const project = await projectWith(`
gone: { trigger: group/none }
hidden: { trigger: ${hidden.path_with_namespace} }
seen: { trigger: ${seen.path_with_namespace} }
unconfigured: { trigger: ${empty.path_with_namespace} }
broken: { trigger: ${broken.path_with_namespace} }
branch: { trigger: { project: "${target.path_with_namespace}", branch: none } }
`)
    for (const downstream of [project, empty, broken, target])
      await w.make.member('projects', downstream.id, dev, 40)
    const { id } = await start(project, {}, dev)
    const reasons = Object.fromEntries(
      jobs(id).map((row) => [row['name'], [row['status'], row['failure_reason']]]),
    )
    expect(reasons).toEqual({
      gone: ['failed', 'downstream_bridge_project_not_found'],
      hidden: ['failed', 'downstream_bridge_project_not_found'],
      seen: ['failed', 'insufficient_bridge_permissions'],
      unconfigured: ['failed', 'downstream_pipeline_creation_failed'],
      broken: ['failed', 'downstream_pipeline_creation_failed'],
      branch: ['failed', 'downstream_pipeline_creation_failed'],
    })
    expect(job(id, 'unconfigured')).toMatchObject({ description: 'Missing CI config file' })
    expect(job(id, 'branch')).toMatchObject({ description: 'Reference not found' })
    // A downstream pipeline with an invalid configuration is stored as failed.
    expect(all(broken.id)).toMatchObject([{ status: 'failed', failure_reason: 'config_error' }])
  })

  test('in a cycle of projects is refused', async () => {
    const project = await projectWith(null)
    const other = await projectWith(`back: { trigger: ${project.path_with_namespace} }`)
    fill(w, project, [
      { branch: 'main', files: { '.gitlab-ci.yml': `forth: { trigger: ${other.path_with_namespace} }` } },
    ])
    await start(project)
    const rows = [...all(project.id), ...all(other.id)]
    expect(rows.length).toBeGreaterThan(2)
    expect(rows.length).toBeLessThan(10)
    const failed = rows.flatMap(({ id }) => jobs(id as number)).filter(({ status }) => status === 'failed')
    expect(failed).toMatchObject([{ failure_reason: 'pipeline_loop_detected' }])
    const self = await projectWith(null)
    fill(w, self, [
      { branch: 'main', files: { '.gitlab-ci.yml': `again: { trigger: ${self.path_with_namespace} }` } },
    ])
    const { id } = await start(self)
    expect(jobs(id)).toMatchObject([{ failure_reason: 'invalid_bridge_trigger' }])
  })
})

describe('a child pipeline', () => {
  test('is created from the included files instead of the configuration, for the same commit', async () => {
    const project = await projectWith(
      `
variables: { APP: shop }
child:
  trigger: { include: [{ local: ci/$APP.yml }], strategy: depend }
shared:
  trigger:
    include:
      - { project: "${target.path_with_namespace}", file: .gitlab-ci.yml }
      - ci/more.yml
`,
      {
        'ci/shop.yml': 'inner: {script: [x], rules: [{if: $CI_PIPELINE_SOURCE == "parent_pipeline"}]}',
        'ci/more.yml': 'more: {script: [x]}',
      },
    )
    const { id } = await start(project)
    const child = made(job(id, 'child')['id'])!
    expect(child).toMatchObject({
      project_id: project.id,
      source: 'parent_pipeline',
      ref: 'main',
      sha: project.sha,
      upstream_pipeline_id: id,
      status: 'pending',
    })
    expect(names(child['id'] as number)).toEqual(['inner'])
    expect(variables(child['id'] as number)).toEqual({ APP: 'shop' })
    expect(job(id, 'child')).toMatchObject({ status: 'running', follows_downstream: true })
    const shared = made(job(id, 'shared')['id'])!
    expect(names(shared['id'] as number).toSorted()).toEqual(['far', 'main-only', 'more'])
    await root.post(`/projects/${project.id}/pipelines/${String(child['id'])}/cancel`)
    expect(job(id, 'child')).toMatchObject({ status: 'failed' })
  })

  test('can have child pipelines, which can have none', async () => {
    const project = await projectWith('a: { trigger: { include: one.yml } }', {
      'one.yml': 'b: { trigger: { include: two.yml } }',
      'two.yml': 'c: { trigger: { include: three.yml } }',
      'three.yml': 'd: { script: [x] }',
    })
    await start(project)
    const rows = all(project.id)
    expect(rows.map(({ id }) => names(id as number))).toEqual([['a'], ['b'], ['c']])
    expect(jobs(rows[2]!['id'] as number)).toMatchObject([
      { status: 'failed', failure_reason: 'reached_max_descendant_pipelines_depth' },
    ])
  })

  test('is refused after too many downstream pipelines of one pipeline', async () => {
    const project = await projectWith('a: { when: manual, trigger: { include: one.yml } }', {
      'one.yml': 'b: { script: [x] }',
    })
    const { id } = await start(project)
    const { db, now } = w.ctx()
    db.exec(
      `INSERT INTO ci_pipelines (iid, project_id, source, status, ref, sha, upstream_pipeline_id, created_at, updated_at)
       SELECT value + 1000, ?, 'parent_pipeline', 'success', 'main', ?, ?, ?, ? FROM json_each(?)`,
      project.id,
      project.sha,
      id,
      now,
      now,
      JSON.stringify(Array.from({ length: 999 }, (_, index) => index)),
    )
    await root.post(`/projects/${project.id}/jobs/${String(job(id, 'a')['id'])}/play`)
    await w.drain()
    expect(job(id, 'a')).toMatchObject({
      status: 'failed',
      failure_reason: 'reached_max_pipeline_hierarchy_size',
    })
  })

  test('with unreadable files fails its trigger job', async () => {
    const project = await projectWith('a: { trigger: { include: none.yml } }')
    const { id } = await start(project)
    expect(jobs(id)).toMatchObject([{ failure_reason: 'downstream_pipeline_creation_failed' }])
    expect(all(project.id)[1]).toMatchObject({
      status: 'failed',
      yaml_errors: 'Local file `none.yml` does not exist!',
    })
  })

  test('can be created from an artifact of a job in the parent pipeline', async () => {
    const project = await projectWith(
      `
stages: [make, use]
write: { stage: make, script: [x], artifacts: { paths: [ci] } }
silent: { stage: make, script: [x], when: manual }
child: { stage: use, trigger: { include: [{ artifact: ci/$NAME.yml, job: write }, { local: more.yml }] }, variables: { NAME: made } }
missing: { stage: use, trigger: { include: [{ artifact: ci/none.yml, job: write }] } }
unknown: { stage: use, trigger: { include: [{ artifact: ci/made.yml, job: silent }] } }
`,
      { 'more.yml': 'more: { script: [x] }' },
    )
    const { id } = await start(project)
    const write = job(id, 'write')['id'] as number
    const token = take(w, write, makeRunner(w))
    const zip = await zipOf({ 'ci/made.yml': 'made: { script: [x] }' })
    expect((await upload(w, { id: write, token }, zip, { artifact_format: 'zip' })).status).toBe(201)
    finishJob(w.ctx(), { id: write }, { status: 'success' })
    await w.drain()
    expect(names(made(job(id, 'child')['id'])!['id'] as number).toSorted()).toEqual(['made', 'more'])
    expect(made(job(id, 'missing')['id'])).toMatchObject({
      yaml_errors: 'Path `ci/none.yml` does not exist inside the `write` artifacts archive!',
    })
    expect(made(job(id, 'unknown')['id'])).toMatchObject({
      yaml_errors: 'Job `silent` not found in parent pipeline or does not have artifacts!',
    })
  })

  test('of a merge request pipeline has the variables of the merge request', async () => {
    const inner = 'b: { script: [x], rules: [{ if: $CI_MERGE_REQUEST_IID == "1", changes: [one.yml] }] }'
    const project = await projectWith('a: { trigger: { include: one.yml }, only: [merge_requests] }', {
      'one.yml': inner,
    })
    fill(w, project, [
      {
        branch: 'topic',
        from: 'main',
        files: { 'one.yml': `${inner}\nc: { script: [x], rules: [{ changes: [other.yml] }] }` },
      },
    ])
    const request = await root.post(`/projects/${project.id}/merge_requests`, {
      source_branch: 'topic',
      target_branch: 'main',
      title: 'Topic',
    })
    await w.drain()
    const alone = { ref: `refs/merge-requests/${request.body.iid}/head` }
    expect((await root.post(`/projects/${project.id}/pipeline`, alone)).body).toEqual({
      message: { base: ['Reference not found'] },
    })
    const [row] = all(project.id)
    expect(row).toMatchObject({ source: 'merge_request_event', merge_request_id: request.body.id })
    const child = made(job(row!['id'] as number, 'a')['id'])!
    expect(child).toMatchObject({ merge_request_id: request.body.id, ref: 'refs/merge-requests/1/head' })
    expect(names(child['id'] as number)).toEqual(['b'])
  })
})
