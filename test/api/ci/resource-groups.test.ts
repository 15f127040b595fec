import { describe, expect, it } from 'vitest'

import { resourceGroupFor } from '../../../server/domains/ci/resource_groups/service.ts'
import { world } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'

const here = await world()
const root = here.as(here.root)
const project = await here.make.project()
const at = `/projects/${project.id}/resource_groups`
const CONFIG = `
first:
  stage: build
  script: [echo]
deploy:
  stage: deploy
  script: [echo]
  needs: []
  resource_group: prod/$CI_COMMIT_REF_NAME
later:
  stage: deploy
  script: [echo]
  needs: [first]
  resource_group: later
odd:
  script: [echo]
  resource_group: "/$NOTHING/"
`
fill(here, project, [{ files: { '.gitlab-ci.yml': CONFIG } }])

/** Creates a pipeline; returns the ids of its jobs by name. */
async function run(): Promise<Record<string, number>> {
  const { status, body } = await root.post(`/projects/${project.id}/pipeline`, { ref: 'main' })
  expect(status).toBe(201)
  const jobs = await root.get(`/projects/${project.id}/pipelines/${body.id}/jobs`)
  return Object.fromEntries(jobs.body.map((job: { name: string; id: number }) => [job.name, job.id]))
}

const statusOf = async (id: number) => (await root.get(`/projects/${project.id}/jobs/${id}`)).body.status
const upcoming = async (key: string) =>
  (await root.get(`${at}/${encodeURIComponent(key)}/upcoming_jobs`)).body.map((job: { id: number }) => job.id)
const cancel = (id: number) => root.post(`/projects/${project.id}/jobs/${id}/cancel`)

const [first, two, three] = [await run(), await run(), await run()]
const KEY = 'prod/main'
const path = `${at}/${encodeURIComponent(KEY)}`

describe('a resource group', () => {
  it('is created by the first job that names it, with expanded variables', async () => {
    const { body, headers } = await root.get(at)
    const fields = {
      id: expect.any(Number),
      process_mode: 'unordered',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    }
    expect(body).toEqual([
      { ...fields, key: KEY },
      { ...fields, key: 'later' },
    ])
    expect(headers.get('x-total')).toBe('2')
    expect((await root.get(path)).body).toEqual(body[0])
  })

  it.each([
    ['production', true],
    ['a b/c.d-$e', true],
    ['', false],
    ['/', false],
    ['/a', false],
    ['a/', false],
    ['ä', false],
    ['a\nb', false],
    ['x'.repeat(256), false],
  ])('%j is a name: %s', (key, isName) => {
    const { db } = here.ctx()
    const other = { id: project.id }
    const count = () => db.one<{ count: number }>('SELECT count(*) AS count FROM ci_resource_groups')!.count
    const before = count()
    const id = resourceGroupFor(here.ctx(), other, key)
    expect([id !== null, count() - before]).toEqual([isName, isName ? 1 : 0])
    expect(resourceGroupFor(here.ctx(), other, key)).toBe(id)
    db.exec('DELETE FROM ci_resource_groups WHERE id = ?', id)
  })

  it('runs one job at a time', async () => {
    const statuses = await Promise.all([first, two, three].map(({ deploy }) => statusOf(deploy!)))
    expect(statuses).toEqual(['pending', 'waiting_for_resource', 'waiting_for_resource'])
    const current = await root.get(`${path}/current_job`)
    expect([current.status, current.body.id]).toEqual([200, first['deploy']])
    expect(current.body).not.toHaveProperty('artifacts')
    expect(await upcoming(KEY)).toEqual([two['deploy'], three['deploy']])
    const free = await root.get(`${at}/later/current_job`)
    expect([free.status, free.body]).toEqual([404, { message: '404 Job Not Found' }])
  })

  it('is not created for an invalid name after variable expansion', () => {
    const sql = 'SELECT resource_group_id FROM ci_jobs WHERE id = ?'
    expect(here.ctx().db.one(sql, first['odd'])).toEqual({ resource_group_id: null })
  })

  it('has a process mode that sets the order of jobs', async () => {
    const changed = await root.put(path, { process_mode: 'newest_first' })
    expect([changed.status, changed.body.process_mode]).toEqual([200, 'newest_first'])
    expect(await upcoming(KEY)).toEqual([three['deploy'], two['deploy']])
    await cancel(first['deploy']!)
    expect(await statusOf(three['deploy']!)).toBe('pending')
    expect(await upcoming(KEY)).toEqual([two['deploy']])
    await cancel(three['deploy']!)
    expect(await statusOf(two['deploy']!)).toBe('pending')
  })

  it('lists jobs that are not ready yet if others wait for them', async () => {
    expect(await upcoming('later')).toEqual([])
    await root.put(`${at}/later`, { process_mode: 'oldest_first' })
    expect(await upcoming('later')).toEqual([first['later'], two['later'], three['later']])
  })

  it('starts the next job at once when the mode allows it', async () => {
    // The newest job is not ready, and an older one has to wait for it.
    const ctx = here.ctx()
    ctx.db.exec("UPDATE ci_jobs SET status = 'waiting_for_resource' WHERE id = ?", two['later'])
    await root.put(`${at}/later`, { process_mode: 'newest_first' })
    expect(await statusOf(two['later']!)).toBe('waiting_for_resource')
    await root.put(`${at}/later`, { process_mode: 'unordered' })
    expect(await statusOf(two['later']!)).toBe('pending')
  })
})

describe('resource groups', () => {
  it('reject invalid requests', async () => {
    expect((await root.get(`${at}/none`)).body).toEqual({ message: '404 Not Found' })
    expect((await root.get(`${at}/none/upcoming_jobs`)).status).toBe(404)
    const wrong = await root.put(path, { process_mode: 'random' })
    expect([wrong.status, wrong.body]).toEqual([400, { error: 'process_mode does not have a valid value' }])
    expect((await root.put(path, {})).status).toBe(200)
  })

  it('are limited to developers', async () => {
    const [reporter, developer] = [here.make.user(), here.make.user()]
    await here.make.member('projects', project.id, reporter, 20)
    await here.make.member('projects', project.id, developer, 30)
    expect((await here.as(reporter).get(at)).status).toBe(403)
    expect((await here.as(developer).get(at)).status).toBe(200)
    expect((await here.as(developer).put(path, { process_mode: 'oldest_first' })).status).toBe(200)
    expect((await here.as(here.make.user()).get(at)).status).toBe(404)
  })
})
