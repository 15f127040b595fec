import { expect, it } from 'vitest'

import { pipelinesForRunners, runnerClient } from '../api/ci/runner.ts'
import { world } from '../support/world.ts'
import { addressOf, git, local } from './remote.ts'

const w = await world()
const address = addressOf(w)

it('a job token reads the code with git while its job runs, and never writes', async () => {
  const pipelines = await pipelinesForRunners(w)
  const other = await w.make.project()
  const runner = runnerClient(w)
  await pipelines.make('build: { script: make }')
  const job = await runner.take()
  const user = { username: 'gitlab-ci-token', token: job.token }
  const own = (await w.as(w.root).get(`/projects/${pipelines.project.id}`)).body
  const read = () => git('/', 'ls-remote', '-q', address(own, user))
  expect((await read()).code).toBe(0)
  const push = await git(local(), 'push', address(own, user), 'main:other')
  expect([push.code, push.stderr]).toEqual([128, expect.stringContaining('403')])
  const elsewhere = await git(local(), 'push', address(other, user), 'main:other')
  expect(elsewhere.code).toBe(128)
  expect((await runner.update(job, 'success')).status).toBe(200)
  expect(await read()).toMatchObject({
    code: 128,
    stderr: expect.stringMatching(/Authentication failed|Access denied/),
  })
})
