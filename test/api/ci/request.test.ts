import { beforeAll, describe, expect, it } from 'vitest'

import { cancelJob } from '../../../server/domains/ci/processing/run.ts'
import { heldRequests, notifyRunner } from '../../../server/domains/ci/runner_protocol/queue.ts'
import { holdTime } from '../../../server/domains/ci/runner_protocol/queue.ts'
import { canRun, runnersFor } from '../../../server/domains/ci/runner_protocol/store-queue.ts'
import { world, type World } from '../../support/world.ts'
import { onDisk } from '../repository/fill.ts'
import type { PipelinesWithoutGit } from './processing.ts'
import { runnerClient, pipelinesForRunners, type RunnerClient } from './runner.ts'

const LAST = 'x-gitlab-last-update'
const BUILD = 'build: {script: [make]}'

let w: World
let l: PipelinesWithoutGit

beforeAll(async () => {
  w = await world()
  l = await pipelinesForRunners(w)
})

/** Removes the waiting jobs of earlier tests. */
function clear(): void {
  w.ctx().db.exec("UPDATE ci_jobs SET status = 'canceled' WHERE status IN ('pending', 'created')")
}

/** Waits until the request of a runner is held. */
async function held(runner: RunnerClient): Promise<void> {
  while (heldRequests(w.ctx(), runner.id) === 0) await new Promise((resolve) => setImmediate(resolve))
}

describe('a request for a job', () => {
  it('rejects a missing or unknown token', async () => {
    const open = w.as(null)
    expect(await open.post('/jobs/request', { token: 'x' })).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden' },
    })
    const missing = await open.post('/jobs/request', {})
    expect([missing.status, missing.body]).toEqual([400, { error: 'token is missing' }])
  })

  it('returns no job and the same queue value', async () => {
    const runner = runnerClient(w)
    const first = await runner.ask()
    expect([first.status, first.text]).toEqual([204, ''])
    expect(first.headers.get(LAST)).toMatch(/^[0-9a-f]{32}$/)
    expect((await runner.ask()).headers.get(LAST)).toBe(first.headers.get(LAST))
  })

  it('returns the job in the runner format, and starts it', async () => {
    const runner = runnerClient(w, { maximum_timeout: 600, description: 'the one' })
    const pipeline = await l.make(`
      variables: {GREETING: hello}
      build:
        script: [make]
        after_script: [clean]
        artifacts: {paths: [out], reports: {junit: j.xml}}
        cache: {key: {files: [README.md]}, paths: [c]}
        image: alpine`)
    const answer = await runner.ask({ system_id: 's_1' })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([201, 'application/json'])
    expect(answer.headers.get(LAST)).toBeNull()
    const job = answer.body
    const { id, namespace_id } = l.project
    expect(job).toMatchObject({
      id: l.job(pipeline, 'build').id,
      allow_git_fetch: true,
      job_info: { name: 'build', stage: 'test', project_id: id, namespace_id, pipeline_id: pipeline },
      git_info: {
        ref: 'main',
        ref_type: 'branch',
        depth: 20,
        refspecs: [
          `+refs/pipelines/${pipeline}:refs/pipelines/${pipeline}`,
          '+refs/heads/main:refs/remotes/origin/main',
        ],
      },
      runner_info: { timeout: 600, runner_session_url: null },
      image: { name: 'alpine' },
      services: [],
      credentials: [],
      dependencies: [],
      hooks: [],
      features: { trace_sections: true },
    })
    expect(job.token).toMatch(/^glcbt-/)
    const path = `${new URL(w.url).host}/root/`
    expect(job.git_info.repo_url).toContain(`http://gitlab-ci-token:${job.token}@${path}`)
    expect(job.git_info.sha).toMatch(/^[0-9a-f]{40}$/)
    expect(job.steps.map((step: { name: string }) => step.name)).toEqual(['script', 'after_script'])
    expect(job.artifacts.map((artifact: { artifact_type: string }) => artifact.artifact_type)).toEqual([
      'archive',
      'junit',
    ])
    expect(job.cache).toMatchObject([
      { key: expect.stringMatching(/^[0-9a-f]{40}-non_protected$/), paths: ['c'] },
    ])
    const valueOf = (key: string) => job.variables.find((variable: { key: string }) => variable.key === key)
    expect(valueOf('GREETING').value).toBe('hello')
    expect(valueOf('CI_JOB_TOKEN')).toMatchObject({ value: job.token, masked: true })
    expect(job).not.toHaveProperty('run')
    const row = l.job(pipeline, 'build')
    expect(row).toMatchObject({
      status: 'running',
      runner_id: runner.id,
      runner_system_id: 's_1',
      timeout: 600,
    })
    expect(await runner.ask()).toMatchObject({ status: 204 })
  })

  it('makes the commit available for a fetch with the job token', async () => {
    const runner = runnerClient(w)
    const pipeline = await l.make(BUILD)
    const job = await runner.take()
    const repo = onDisk(w, l.project)
    const url = new URL(job.git_info.repo_url)
    const refs = await fetch(`${w.url}${url.pathname}/info/refs?service=git-upload-pack`, {
      headers: { authorization: `Basic ${btoa(`${url.username}:${url.password}`)}` },
    })
    expect(refs.status).toBe(200)
    expect(await refs.text()).toContain(`${job.git_info.sha} refs/pipelines/${pipeline}`)
    expect(repo.gitDir).toContain(w.dataDir)
  })

  it('returns no jobs to paused runners', async () => {
    const runner = runnerClient(w, { paused: true })
    const pipeline = await l.make(BUILD)
    expect(await runner.ask()).toMatchObject({ status: 204 })
    expect(l.job(pipeline, 'build').status).toBe('pending')
    clear()
  })

  it('assigns the oldest job first', async () => {
    const runner = runnerClient(w)
    const [first, second] = [await l.make(BUILD), await l.make(BUILD)]
    const jobs = [await runner.take(), await runner.take()]
    expect(jobs.map((job) => job.job_info.pipeline_id)).toEqual([first, second])
  })

  it('prefers the project with the fewest running jobs on instance runners', async () => {
    const other = await pipelinesForRunners(w)
    const runner = runnerClient(w)
    w.ctx().db.exec("UPDATE ci_jobs SET status = 'success' WHERE status = 'running'")
    for (let n = 0; n < 3; n++) await l.make(BUILD)
    for (let n = 0; n < 2; n++) await other.make(BUILD)
    const order: number[] = []
    for (let n = 0; n < 5; n++) order.push((await runner.take()).job_info.project_id)
    const [a, b] = [l.project.id, other.project.id]
    expect(order).toEqual([a, b, a, b, a])
  })
})

describe('the jobs for a runner', () => {
  const ask = async (columns: Record<string, unknown>, config: string, make = l.make) => {
    const runner = runnerClient(w, columns)
    const pipeline = await make(config)
    const { id } = l.job(pipeline, 'build')
    const { status } = await runner.ask()
    expect(canRun(w.ctx().db, { ...runner, runner_type: '' }, { id })).toBe(status === 201)
    clear()
    return status
  }
  const tagged = 'build: {script: [make], tags: [linux, arm]}'

  it('have only tags of the runner, or none if it runs untagged jobs', async () => {
    expect(await ask({ tag_list: '["arm","linux","x"]' }, tagged)).toBe(201)
    expect(await ask({ tag_list: '["linux"]' }, tagged)).toBe(204)
    expect(await ask({ tag_list: '["linux"]', run_untagged: false }, BUILD)).toBe(204)
    expect(await ask({ tag_list: '["linux"]', run_untagged: true }, BUILD)).toBe(201)
  })

  it('are limited to protected refs for a protected runner', async () => {
    expect(await ask({ access_level: 'ref_protected' }, BUILD)).toBe(204)
    await w.as(w.root).post(`/projects/${l.project.id}/protected_branches`, { name: 'main' })
    expect(await ask({ access_level: 'ref_protected' }, BUILD, l.create)).toBe(201)
  })

  it('are limited to the projects of a project runner', async () => {
    const other = await w.make.project()
    const own = runnerClient(w, { runner_type: 'project_type' })
    const foreign = runnerClient(w, { runner_type: 'project_type' })
    const assign = 'INSERT INTO runner_projects (runner_id, project_id, created_at) VALUES (?, ?, ?)'
    w.ctx().db.exec(assign, own.id, l.project.id, w.ctx().now)
    w.ctx().db.exec(assign, foreign.id, other.id, w.ctx().now)
    const pipeline = await l.make(BUILD)
    expect(runnersFor(w.ctx().db, l.job(pipeline, 'build').id, [own.id, foreign.id])).toEqual([own.id])
    expect(await foreign.ask()).toMatchObject({ status: 204 })
    expect(await own.ask()).toMatchObject({ status: 201 })
  })

  it('are limited to the projects below the group of a group runner that have group runners enabled', async () => {
    const group = await w.make.group()
    const below = await w.make.group({ parent_id: group.id })
    const inside = await pipelinesForRunners(w, { namespace_id: below.id })
    const runner = runnerClient(w, { runner_type: 'group_type', group_id: group.id })
    await l.make(BUILD)
    expect(await runner.ask()).toMatchObject({ status: 204 })
    clear()
    await inside.make(BUILD)
    w.ctx().db.exec('UPDATE projects SET group_runners_enabled = 0 WHERE id = ?', inside.project.id)
    expect(await runner.ask()).toMatchObject({ status: 204 })
    w.ctx().db.exec('UPDATE projects SET group_runners_enabled = 1 WHERE id = ?', inside.project.id)
    expect(await runner.ask()).toMatchObject({ status: 201 })
  })

  it('exclude projects with instance runners disabled', async () => {
    const runner = runnerClient(w)
    await l.make(BUILD)
    w.ctx().db.exec('UPDATE projects SET shared_runners_enabled = 0 WHERE id = ?', l.project.id)
    expect(await runner.ask()).toMatchObject({ status: 204 })
    w.ctx().db.exec('UPDATE projects SET shared_runners_enabled = 1 WHERE id = ?', l.project.id)
    expect(await runner.ask()).toMatchObject({ status: 201 })
  })
})

describe('jobs that cannot run', () => {
  const reasonAfter = async (config: string, more: object = {}) => {
    const pipeline = await l.make(config)
    await runnerClient(w).ask(more)
    const { status, failure_reason } = l.job(pipeline, 'build')
    return status === 'failed' ? failure_reason : status
  }

  it('fail if the runner lacks a required feature', async () => {
    const config = 'build: {script: [make], artifacts: {paths: [a], exclude: [b]}, retry: 0}'
    expect(await reasonAfter(config, { info: { features: {} } })).toBe('runner_unsupported')
    expect(await reasonAfter(config)).toBe('running')
  })

  it('fail in projects with pipelines disabled, and for blocked users', async () => {
    const { db } = w.ctx()
    const set = (sql: string) => db.exec(sql, l.project.id)
    const pipeline = await l.make(BUILD)
    set("UPDATE projects SET builds_access_level = 'disabled' WHERE id = ?")
    await runnerClient(w).ask()
    expect(l.job(pipeline, 'build').failure_reason).toBe('builds_disabled')
    set("UPDATE projects SET builds_access_level = 'enabled' WHERE id = ?")
    const doomed = await l.make(BUILD)
    set("UPDATE projects SET marked_for_deletion_at = '2026-01-01' WHERE id = ?")
    await runnerClient(w).ask()
    expect(l.job(doomed, 'build').failure_reason).toBe('project_deleted')
    set('UPDATE projects SET marked_for_deletion_at = NULL WHERE id = ?')
    const blocked = await l.make(BUILD)
    const user = w.make.user()
    db.exec("UPDATE users SET state = 'blocked' WHERE id = ?", user.id)
    db.exec('UPDATE ci_jobs SET user_id = ? WHERE pipeline_id = ?', user.id, blocked)
    await runnerClient(w).ask()
    expect(l.job(blocked, 'build').failure_reason).toBe('user_blocked')
  })

  it('fail if an artifact of a dependency was erased, and the next job is assigned', async () => {
    clear()
    const pipeline = await l.make(`
      first: {stage: build, script: [a], artifacts: {paths: [x]}}
      build: {script: [b]}`)
    const { id } = l.end(pipeline, 'first')
    const next = await l.make(BUILD)
    w.ctx().db.exec('UPDATE ci_jobs SET erased_at = ? WHERE id = ?', w.ctx().now, id)
    const job = await runnerClient(w).take()
    expect(l.job(pipeline, 'build').failure_reason).toBe('missing_dependency_failure')
    expect(job.job_info.pipeline_id).toBe(next)
  })

  it('fail and are retried automatically if their payload cannot be built', async () => {
    const pipeline = await l.make(BUILD)
    const { id } = l.job(pipeline, 'build')
    w.ctx().db.exec("UPDATE ci_job_details SET variables = '[null]' WHERE job_id = ?", id)
    expect(await runnerClient(w).ask()).toMatchObject({ status: 204 })
    const rows = w
      .ctx()
      .db.many('SELECT status, failure_reason FROM ci_jobs WHERE pipeline_id = ? ORDER BY id', pipeline)
    expect(rows[0]).toEqual({ status: 'failed', failure_reason: 'scheduler_failure' })
    clear()
  })
})

describe('long polling', () => {
  it('returns as soon as there is a job for the runner', async () => {
    clear()
    const [runner, other] = [runnerClient(w), runnerClient(w, { tag_list: '["x"]', run_untagged: false })]
    const values = [await runner.ask(), await other.ask()].map((answer) => answer.headers.get(LAST))
    const waiting = runner.ask({ last_update: values[0] })
    const unmoved = new AbortController()
    const left = fetch(`${w.url}/api/v4/jobs/request`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: other.token, last_update: values[1] }),
      signal: unmoved.signal,
    }).catch(() => 'gone')
    await Promise.all([held(runner), held(other)])
    const pipeline = await l.make(BUILD)
    const answer = await waiting
    expect(answer.status).toBe(201)
    const row = l.job(pipeline, 'build')
    expect(row.started_at! >= row.queued_at!).toBe(true)
    // A job for other runners does not end this held request, and an aborted request is removed.
    expect(heldRequests(w.ctx(), other.id)).toBe(1)
    unmoved.abort()
    expect(await left).toBe('gone')
    while (heldRequests(w.ctx(), other.id) > 0) await new Promise((resolve) => setImmediate(resolve))
    const after = await runner.ask({ last_update: values[0] })
    expect(after.status).toBe(204)
    expect(after.headers.get(LAST)).not.toBe(values[0])
  })

  it('returns when the runner is changed or deleted', async () => {
    const runner = runnerClient(w)
    const value = (await runner.ask()).headers.get(LAST)
    const waiting = runner.ask({ last_update: value })
    await held(runner)
    w.ctx().db.exec('UPDATE runners SET paused = 1 WHERE id = ?', runner.id)
    notifyRunner(w.ctx(), runner.id)
    expect(await waiting).toMatchObject({ status: 204 })
  })

  it('returns at once for an old queue value', async () => {
    const runner = runnerClient(w)
    const value = (await runner.ask()).headers.get(LAST)
    await l.make(BUILD)
    await new Promise((resolve) => setImmediate(resolve))
    expect(await runner.ask({ last_update: value })).toMatchObject({ status: 201 })
  })

  it('is shorter for a runner process with several runners', () => {
    const at = (ms: number) => ({ ...w.ctx(), now: new Date(ms).toISOString() })
    expect([holdTime(at(0), 1, 's_a'), holdTime(at(0), 1, 's_b'), holdTime(at(1), 1, 's_a')]).toEqual([
      25_000, 25_000, 25_000,
    ])
    expect([holdTime(at(2), 2, 's_a'), holdTime(at(3), 1, 's_a')]).toEqual([3000, 3000])
    expect(holdTime(at(200_000), 1, 's_a')).toBe(25_000)
  })

  it('ends when the instance stops', async () => {
    const own = await world()
    const runner = runnerClient(own)
    const value = (await runner.ask()).headers.get(LAST)
    const waiting = runner.ask({ last_update: value })
    while (heldRequests(own.ctx(), runner.id) === 0) await new Promise((resolve) => setImmediate(resolve))
    await own.close()
    expect(await waiting).toMatchObject({ status: 204 })
  })

  it('searches again if the announced job was canceled', async () => {
    const runner = runnerClient(w)
    const value = (await runner.ask()).headers.get(LAST)
    const pipeline = await l.make(BUILD)
    cancelJob(l.ctx(), l.job(pipeline, 'build'))
    await new Promise((resolve) => setImmediate(resolve))
    const answer = await runner.ask({ last_update: value })
    expect(answer.status).toBe(204)
    expect(answer.headers.get(LAST)).not.toBe(value)
  })
})
