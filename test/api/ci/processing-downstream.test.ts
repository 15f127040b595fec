import { beforeAll, describe, expect, test } from 'vitest'

import * as pipelines from '../../../server/domains/ci/pipelines/store.ts'
import { cancelJob } from '../../../server/domains/ci/processing/run.ts'
import { cancelPipeline } from '../../../server/domains/ci/processing/state.ts'
import { makeDownstream } from '../../../server/domains/ci/processing/downstream.ts'
import { playJob, retryJob } from '../../../server/domains/ci/processing/rerun.ts'
import { world } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'
import { pipelinesWithoutGit, type PipelinesWithoutGit } from './processing.ts'

const w = await world()
const l = await pipelinesWithoutGit(w, { auto_cancel_pending_pipelines: 'disabled' })
const S = 'script: [x]'

const CHILD = `c: { ${S} }\nlast: { stage: deploy, ${S} }`
const PARENT = `
go:
  stage: build
  trigger: { include: child.yml, strategy: depend }
after: { stage: test, ${S} }`

beforeAll(() => {
  fill(w, l.project, [{ branch: 'main', files: { 'child.yml': CHILD } }])
})

/** Returns the newest pipeline that a trigger job created. */
function madeBy(at: PipelinesWithoutGit, pipeline: number, name: string): number {
  return pipelines.createdByJob(at.ctx().db, at.job(pipeline, name).id)!.id
}

async function family(): Promise<{ parent: number; child: number }> {
  const parent = await l.create(PARENT)
  await w.drain()
  return { parent, child: madeBy(l, parent, 'go') }
}

describe('a trigger job that mirrors its downstream pipeline', () => {
  test('runs until the pipeline ends, and succeeds with it', async () => {
    const { parent, child } = await family()
    expect([l.states(parent)['go'], l.status(parent)]).toEqual(['running', 'running'])
    l.end(child, 'c')
    expect(l.states(parent)['go']).toBe('running')
    l.end(child, 'last')
    expect([l.status(child), l.states(parent)]).toEqual(['success', { go: 'success', after: 'pending' }])
  })

  test('fails with it, and continues when a job of it is retried', async () => {
    const { parent, child } = await family()
    l.end(child, 'c', 'failed')
    expect([l.states(parent), l.status(parent)]).toEqual([{ go: 'failed', after: 'skipped' }, 'failed'])
    retryJob(l.ctx(), l.job(child, 'c'))
    expect([l.states(parent), l.status(parent)]).toEqual([{ go: 'running', after: 'created' }, 'running'])
    expect(l.job(parent, 'go')).toMatchObject({ failure_reason: null, finished_at: null })
    l.end(child, 'c')
    l.end(child, 'last')
    expect(l.states(parent)).toEqual({ go: 'success', after: 'pending' })
  })

  test('counts as a failed job for auto_cancel', async () => {
    const all = 'workflow: { auto_cancel: { on_job_failure: all } }'
    const p = await l.create(`${all}\n${PARENT}\nnext: { stage: build, ${S} }`)
    await w.drain()
    l.end(madeBy(l, p, 'go'), 'c', 'failed')
    expect(l.states(p)).toMatchObject({ go: 'failed', next: 'canceled' })
  })

  test('is canceled together with it', async () => {
    const { parent, child } = await family()
    l.start(child, 'c')
    cancelPipeline(l.ctx(), { id: parent })
    expect([l.status(child), l.states(parent)]).toEqual(['canceled', { go: 'canceled', after: 'canceled' }])
    const other = await family()
    cancelJob(l.ctx(), l.job(other.parent, 'go'))
    expect([l.status(other.child), l.status(other.parent)]).toEqual(['canceled', 'canceled'])
  })

  test('creates another pipeline when it is retried', async () => {
    const { parent, child } = await family()
    cancelPipeline(l.ctx(), { id: child })
    expect(l.states(parent)['go']).toBe('failed')
    retryJob(l.ctx(), l.job(parent, 'go'))
    await w.drain()
    const again = madeBy(l, parent, 'go')
    expect(again).not.toBe(child)
    l.end(again, 'c')
    l.end(again, 'last')
    expect(l.states(parent)).toEqual({ go: 'success', after: 'pending' })
  })

  test('creates no pipeline if it was canceled before', async () => {
    const parent = await l.create(PARENT.replace('stage: build', 'stage: build\n  when: manual'))
    playJob(l.ctx(), l.job(parent, 'go'))
    expect(l.states(parent)['go']).toBe('pending')
    cancelJob(l.ctx(), l.job(parent, 'go'))
    await w.drain()
    expect(pipelines.createdByJob(l.ctx().db, l.job(parent, 'go').id)).toBeUndefined()
    expect(l.job(parent, 'go').status).toBe('canceled')
  })
})

describe('a trigger job', () => {
  test('succeeds when its pipeline is created', async () => {
    const other = await pipelinesWithoutGit(w)
    fill(w, other.project, [{ branch: 'main', files: { '.gitlab-ci.yml': `far: { ${S} }` } }])
    const path = (await w.as(w.root).get(`/projects/${other.project.id}`)).body.path_with_namespace
    const p = await l.create(`go: { stage: build, trigger: ${path} }\nafter: { stage: test, ${S} }`)
    await w.drain()
    expect(l.states(p)).toEqual({ go: 'success', after: 'pending' })
    const far = madeBy(l, p, 'go')
    expect([other.states(far), other.status(far)]).toEqual([{ far: 'pending' }, 'pending'])
    cancelPipeline(l.ctx(), { id: p })
    expect(other.status(far)).toBe('pending')
  })

  test.each([
    ['trigger: nobody/nothing', 'downstream_bridge_project_not_found'],
    ['trigger: { include: missing.yml }', 'downstream_pipeline_creation_failed'],
  ])('fails where there can be none: %s', async (trigger, reason) => {
    const p = await l.create(`go: { ${trigger} }`)
    await w.drain()
    expect(l.job(p, 'go')).toMatchObject({ status: 'failed', failure_reason: reason })
    expect(l.status(p)).toBe('failed')
  })
})

describe('a job that mirrors a pipeline of another project', () => {
  test('ends with that pipeline', async () => {
    const other = await pipelinesWithoutGit(w)
    const path = (await w.as(w.root).get(`/projects/${other.project.id}`)).body.path_with_namespace
    const theirs = await other.make(`far: { ${S} }`)
    const config = `look: { stage: build, needs: { pipeline: ${path} } }\nafter: { stage: test, ${S} }`
    const p = await l.make(config)
    await w.drain()
    expect(l.states(p)).toEqual({ look: 'running', after: 'created' })
    other.end(theirs, 'far')
    await makeDownstream(l.ctx(), l.job(p, 'look').id)
    expect(l.states(p)).toEqual({ look: 'success', after: 'pending' })
  })

  test('fails if the user cannot read that project', async () => {
    const p = await l.make('look: { needs: { pipeline: nobody/nothing } }')
    await w.drain()
    expect(l.job(p, 'look')).toMatchObject({
      status: 'failed',
      failure_reason: 'downstream_bridge_project_not_found',
    })
  })
})
