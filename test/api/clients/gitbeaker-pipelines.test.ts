import { Gitlab } from '@gitbeaker/rest'
import { expect, it } from 'vitest'

import { appendTrace } from '../../../server/domains/ci/traces/service.ts'
import { byId } from '../../../server/domains/ci/jobs/store.ts'
import { finishJob } from '../../../server/domains/ci/processing/run.ts'
import { world } from '../../support/world.ts'
import { makeRunner, take } from '../ci/run-job.ts'
import { fill } from '../repository/fill.ts'

// Runs an unmodified client against a real instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
const project = await here.make.project({ path: 'tern', name: 'tern' })
const runner = makeRunner(here)
const CONFIG = `
stages: [build, deploy]
compile:
  stage: build
  script: [make]
ship:
  stage: deploy
  when: manual
  script: [make ship]
`
fill(here, project, [{ branch: 'main', files: { '.gitlab-ci.yml': CONFIG } }])

it('Gitbeaker starts a pipeline, follows its jobs and reads their logs and artifacts', async () => {
  const made = await api.Pipelines.create(project.id, 'main', {
    variables: [{ key: 'LEVEL', value: 'deep', variable_type: 'env_var' }] as never,
  })
  expect(made).toMatchObject({ status: 'pending', ref: 'main', detailed_status: { group: 'pending' } })
  const [listed] = await api.Pipelines.all(project.id, { ref: 'main', status: 'pending' })
  expect(listed).toMatchObject({ id: made.id, iid: 1, web_url: made.web_url })
  expect(await api.Pipelines.showLatest(project.id)).toMatchObject({ id: made.id })
  expect(await api.Pipelines.allVariables(project.id, made.id)).toMatchObject([
    { key: 'LEVEL', value: 'deep' },
  ])

  const [compile, ship] = await api.Jobs.all(project.id, { pipelineId: made.id })
  expect([compile!.name, ship!.name, ship!.status]).toEqual(['compile', 'ship', 'created'])
  const token = take(here, compile!.id, runner)
  const inside = new Gitlab({ host: here.url, jobToken: token })
  expect(await inside.Jobs.show(project.id, compile!.id)).toMatchObject({ status: 'running' })
  appendTrace(here.ctx(), byId(here.ctx().db, compile!.id)!, 0, Buffer.from('built\n'))
  finishJob(here.ctx(), compile!, { status: 'failed', failure_reason: 'script_failure' })
  expect(String(await api.Jobs.showLog(project.id, compile!.id))).toContain('built')
  expect(await api.Jobs.show(project.id, compile!.id)).toMatchObject({
    status: 'failed',
    failure_reason: 'script_failure',
    runner: { id: runner },
    commit: { title: expect.any(String) },
  })
  expect(await api.Jobs.all(project.id, { scope: 'failed' })).toHaveLength(1)

  const again = await api.Jobs.retry(project.id, compile!.id)
  expect(again).toMatchObject({ name: 'compile', status: 'pending' })
  await expect(api.Jobs.retry(project.id, compile!.id)).rejects.toMatchObject({
    cause: { description: '403 Forbidden - Job is not retryable' },
  })
  take(here, again.id, runner)
  finishJob(here.ctx(), again, { status: 'success' })
  expect(await api.Jobs.play(project.id, ship!.id, { jobVariablesAttributes: [] } as never)).toMatchObject({
    status: 'pending',
  })
  expect(await api.Jobs.cancel(project.id, ship!.id)).toMatchObject({ status: 'canceled' })
  expect(await api.Jobs.erase(project.id, compile!.id)).toMatchObject({ erased_at: expect.any(String) })
})

it('Gitbeaker retries, cancels and deletes pipelines', async () => {
  const made = await api.Pipelines.create(project.id, 'main')
  expect(await api.Pipelines.cancel(project.id, made.id)).toMatchObject({ status: 'canceled' })
  expect(await api.Pipelines.retry(project.id, made.id)).toMatchObject({ status: 'pending' })
  expect(await api.Jobs.allPipelineBridges(project.id, made.id)).toEqual([])
  await api.Pipelines.remove(project.id, made.id)
  await expect(api.Pipelines.show(project.id, made.id)).rejects.toMatchObject({
    cause: { response: { status: 404 } },
  })
})
