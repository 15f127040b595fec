import { beforeAll, describe, expect, it, vi } from 'vitest'

import { pipelineEvent } from '../../../server/domains/webhooks/payloads/pipeline.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { world } from '../../support/world.ts'
import { pipelinesWithGit } from '../ci/deploying.ts'
import { fill } from '../repository/fill.ts'
import {
  COMMIT_KEYS,
  keys,
  listen,
  recorded,
  RUNNER_KEYS,
  SHORT_PROJECT_KEYS,
  USER_KEYS,
} from './recorded.ts'

const clock = frozenClock('2026-11-22T08:00:00.000Z')
const here = await world({ clock })
const pipelines = await pipelinesWithGit(here)
const { project } = pipelines
fill(here, project, [{ files: { 'child.yml': 'later: { script: make, rules: [{ when: manual }] }' } }])
const root = here.as(here.root)
const at = `/projects/${project.id}`
const url = `${here.url}/root/${project.path}`

const CONFIG = `
stages: [build, deploy]
compile:
  stage: build
  script: make
lint:
  stage: build
  script: make lint
  allow_failure: true
release:
  stage: deploy
  when: manual
  environment: { name: production, deployment_tier: production }
  script: make release
onwards:
  stage: deploy
  trigger:
    include: [{ local: child.yml }]
`

describe('without a listener', () => {
  it('no events and no jobs are stored', async () => {
    here.jobs()
    expect(
      await recorded(here, null, async () => {
        const id = await pipelines.make(CONFIG)
        pipelines.end(id, 'compile')
      }),
    ).toEqual([])
    expect(here.jobs().filter((name) => name.startsWith('event:webhooks'))).toEqual([])
  })

  it('many CI jobs need no more queries than few', async () => {
    const cost = async (count: number): Promise<number> => {
      const names = Array.from({ length: count }, (_, at) => `job${at}: { script: make }`)
      const id = await pipelines.make(names.join('\n'))
      // The queries of background jobs do not count.
      await here.drain()
      const ctx = here.ctx()
      // The first event reads what is cached afterwards.
      await pipelineEvent(ctx, id)
      const spies = (['one', 'many', 'get', 'all'] as const).map((name) => vi.spyOn(ctx.db, name))
      const event = await pipelineEvent(ctx, id)
      const calls = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
      for (const spy of spies) spy.mockRestore()
      expect(event!.payload['builds']).toHaveLength(count)
      return calls
    }
    expect(await cost(200)).toBe(await cost(2))
  })
})

describe('pipelines', () => {
  let id = 0
  beforeAll(() => void listen(here, { project_id: project.id }))

  it('have events with all attributes, from pending on', async () => {
    const found = await recorded(here, 'pipeline', async () => {
      id = await pipelines.make(CONFIG, { variables: [{ key: 'TARGET', value: 'prod-tide-2026' }] })
    })
    const [first] = found
    expect(found).toHaveLength(1)
    expect(first).toMatchObject({ project_id: project.id, group_id: null, actor_id: 1, ref: 'main' })
    const { payload } = first!
    expect(keys(payload)).toEqual(
      ['builds', 'commit', 'merge_request', 'object_attributes', 'object_kind', 'project', 'user'].sort(),
    )
    expect(payload.object_attributes).toEqual({
      id,
      iid: 4,
      ref: 'main',
      tag: false,
      sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      before_sha: '0'.repeat(40),
      source: 'api',
      status: 'pending',
      detailed_status: 'pending',
      stages: ['build', 'deploy'],
      created_at: '2026-11-22 08:00:00 UTC',
      finished_at: null,
      duration: null,
      queued_duration: null,
      variables: [{ key: 'TARGET', value: 'prod-tide-2026' }],
      url: `${url}/-/pipelines/${id}`,
    })
    expect([payload.object_kind, payload.merge_request]).toEqual(['pipeline', null])
    expect(keys(payload.user)).toEqual(USER_KEYS)
    expect(payload.user).toMatchObject({ username: 'root', email: '[REDACTED]' })
    expect(keys(payload.project)).toEqual(SHORT_PROJECT_KEYS)
    expect(keys(payload.commit)).toEqual(COMMIT_KEYS)
  })

  it('are stored encrypted, since their variables may be secret', () => {
    const stored = here.ctx().db.many<{ payload: string }>('SELECT payload FROM hook_events')
    expect(stored.length).toBeGreaterThan(0)
    expect(stored.filter(({ payload }) => payload.includes('prod-tide-2026'))).toEqual([])
  })

  it('show their latest jobs, with runners, artifacts and environments', async () => {
    const job = pipelines.start(id, 'compile')
    clock.advance(65_000)
    const found = await recorded(here, 'pipeline', () => pipelines.end(id, 'compile'))
    expect(found).toEqual([])
    here.ctx().db.exec(
      `INSERT INTO ci_artifacts (job_id, project_id, file_type, file_format, filename, size, sha256, stored_as, created_at)
       VALUES (?, ?, 'archive', 'zip', 'artifacts.zip', 42, '', 'x', ?)`,
      job.id,
      project.id,
      here.ctx().now,
    )
    const after = await recorded(here, 'pipeline', () => pipelines.end(id, 'lint', 'failed'))
    const { object_attributes, builds } = after.findLast(
      (event) => event.payload.object_attributes.id === id,
    )!.payload
    expect([object_attributes.status, object_attributes.detailed_status]).toEqual([
      'success',
      'passed with warnings',
    ])
    expect(builds.map((build: { name: string }) => build.name)).toEqual(['compile', 'lint', 'release'])
    const [compile, lint, release] = builds
    expect(compile).toEqual({
      id: job.id,
      stage: 'build',
      name: 'compile',
      status: 'success',
      created_at: '2026-11-22 08:00:00 UTC',
      started_at: '2026-11-22 08:00:00 UTC',
      finished_at: '2026-11-22 08:01:05 UTC',
      duration: 65,
      queued_duration: 0,
      failure_reason: null,
      when: 'on_success',
      manual: false,
      allow_failure: false,
      user: expect.objectContaining({ username: 'root' }),
      runner: expect.objectContaining({
        runner_type: 'instance_type',
        is_shared: true,
        active: true,
        tags: [],
      }),
      artifacts_file: { filename: 'artifacts.zip', size: 42 },
      environment: null,
    })
    expect(keys(compile.runner)).toEqual(RUNNER_KEYS)
    expect(keys(compile.user)).toEqual(USER_KEYS)
    expect(lint).toMatchObject({ status: 'failed', failure_reason: 'script_failure', allow_failure: true })
    expect(release).toMatchObject({
      status: 'manual',
      manual: true,
      runner: null,
      artifacts_file: { filename: null, size: null },
      environment: { name: 'production', action: 'start', deployment_tier: 'production' },
    })
  })

  it('show each status as it was, even if they have continued', async () => {
    const found = await recorded(here, 'pipeline', async () => {
      const short = await pipelines.make('one: { script: make }')
      pipelines.start(short, 'one')
      clock.advance(5000)
      pipelines.end(short, 'one')
    })
    const attributes = found.map((event) => event.payload.object_attributes)
    expect(
      attributes.map((attribute) => [attribute.status, attribute.finished_at, attribute.duration]),
    ).toEqual([
      ['pending', null, null],
      ['running', null, null],
      ['success', '2026-11-22 08:01:10 UTC', 5],
    ])
    expect(attributes[2].detailed_status).toBe('passed')
  })

  it('have an event for an invalid configuration', async () => {
    const found = await recorded(here, 'pipeline', () => {
      return root.post(`${at}/repository/commits`, {
        branch: 'broken',
        start_branch: 'main',
        commit_message: 'Break it',
        actions: [
          { action: 'create', file_path: '.gitlab-ci.yml', content: 'one: { script: 1, stage: none }' },
        ],
      })
    })
    expect(
      found.map((event) => [event.ref, event.payload.object_attributes.status, event.payload.builds]),
    ).toEqual([['broken', 'failed', []]])
  })

  it('name their source and their merge request', async () => {
    const made = (
      await root.post(`${at}/repository/commits`, {
        branch: 'feature',
        start_branch: 'main',
        commit_message: 'Add pipelines',
        actions: [
          {
            action: 'create',
            file_path: '.gitlab-ci.yml',
            content: `
workflow: { rules: [{ if: $CI_MERGE_REQUEST_IID }] }
down: { trigger: { include: [{ local: child.yml }] } }`,
          },
        ],
      })
    ).body
    expect(made.id).toMatch(/^[0-9a-f]{40}$/)
    const found = await recorded(here, 'pipeline', () =>
      root.post(`${at}/merge_requests`, {
        source_branch: 'feature',
        target_branch: 'main',
        title: 'Feature',
      }),
    )
    const [parent, child] = ['merge_request_event', 'parent_pipeline'].map(
      (source) => found.find((event) => event.payload.object_attributes.source === source)!.payload,
    )
    expect(parent.merge_request).toEqual({
      id: expect.any(Number),
      iid: 1,
      title: 'Feature',
      source_branch: 'feature',
      source_project_id: project.id,
      target_branch: 'main',
      target_project_id: project.id,
      state: 'opened',
      merge_status: expect.any(String),
      detailed_merge_status: expect.any(String),
      url: `${url}/-/merge_requests/1`,
    })
    expect(parent.object_attributes.ref).toBe('feature')
    expect(parent).not.toHaveProperty('source_pipeline')
    expect(child.source_pipeline).toEqual({
      project: { id: project.id, web_url: url, path_with_namespace: `root/${project.path}` },
      job_id: expect.any(Number),
      pipeline_id: parent.object_attributes.id,
    })
  })
})

describe('jobs', () => {
  it('have an event for each status, except trigger jobs', async () => {
    let id = 0
    const found = await recorded(here, 'job', async () => {
      id = await pipelines.make(CONFIG)
      pipelines.start(id, 'compile')
      clock.advance(3000)
      pipelines.end(id, 'compile', 'failed')
    })
    const steps = found.map(({ payload }) => `${payload.build_name} ${payload.build_status}`)
    expect(steps.filter((step) => step.startsWith('compile'))).toEqual([
      'compile created',
      'compile pending',
      'compile running',
      'compile failed',
    ])
    expect(steps.some((step) => step.startsWith('onwards'))).toBe(false)
    const last = found.find(({ payload }) => payload.build_status === 'failed')!
    const job = pipelines.job(id, 'compile')
    expect(last).toMatchObject({ project_id: project.id, ref: 'main' })
    expect(last.payload).toEqual({
      object_kind: 'build',
      ref: 'main',
      tag: false,
      before_sha: '0'.repeat(40),
      sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      build_id: job.id,
      build_name: 'compile',
      build_stage: 'build',
      build_status: 'failed',
      build_created_at: '2026-11-22 08:01:10 UTC',
      build_started_at: '2026-11-22 08:01:10 UTC',
      build_finished_at: '2026-11-22 08:01:13 UTC',
      build_duration: 3,
      build_queued_duration: 0,
      build_allow_failure: false,
      build_failure_reason: 'script_failure',
      retries_count: 0,
      pipeline_id: id,
      runner: expect.objectContaining({ is_shared: true }),
      project_id: project.id,
      project_name: `Administrator / ${project.name}`,
      user: expect.objectContaining({ username: 'root' }),
      commit: {
        id,
        sha: last.payload.sha,
        message: expect.any(String),
        author_name: expect.any(String),
        author_email: expect.any(String),
        author_url: expect.stringMatching(/^mailto:/),
        status: expect.any(String),
        duration: null,
        started_at: '2026-11-22 08:01:10 UTC',
        finished_at: null,
      },
      repository: {
        name: project.name,
        url: expect.any(String),
        description: project.description,
        homepage: url,
        git_http_url: `${url}.git`,
        git_ssh_url: expect.any(String),
        visibility_level: 0,
      },
      environment: null,
    })
    const begun = found.find(({ payload }) => payload.build_status === 'created')!.payload
    expect([begun.build_started_at, begun.runner, begun.build_duration]).toEqual([null, null, null])
  })

  it('count their retries', async () => {
    const id = await pipelines.make('again: { script: make, retry: 1 }')
    const found = await recorded(here, 'job', () => pipelines.end(id, 'again', 'failed'))
    const tries = found.map(({ payload }) => [payload.build_status, payload.retries_count])
    expect(tries).toContainEqual(['failed', 0])
    expect(tries).toContainEqual(['pending', 1])
  })
})
