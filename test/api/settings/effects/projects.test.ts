import { beforeAll, describe, expect, it } from 'vitest'

import { crons as mirrorCrons } from '../../../../server/domains/mirrors/pull/jobs.ts'
import { recordFailure } from '../../../../server/domains/mirrors/pull/states.ts'
import { namespacesWithoutMinutes } from '../../../../server/domains/ci/runner_protocol/take.ts'
import { pendingJobsFor } from '../../../../server/domains/ci/runner_protocol/store-queue.ts'
import { frozenClock } from '../../../../server/lib/clock.ts'
import { world } from '../../../support/world.ts'
import { fill } from '../../repository/fill.ts'

const clock = frozenClock('2026-05-10T10:00:00.000Z')
const w = await world({ clock })
const { make } = w
const root = w.as(w.root)
const settings = async (params: object) =>
  expect(await root.put('/application/settings', params)).toMatchObject({ status: 200 })

describe('projects and users', () => {
  it('default_project_deletion_protection: only administrators can delete projects', async () => {
    const owner = make.user()
    const project = await make.project({ owner })
    await settings({ default_project_deletion_protection: true })
    expect((await w.as(owner).delete(`/projects/${project.id}`)).status).toBe(403)
    await settings({ default_project_deletion_protection: false })
    expect((await w.as(owner).delete(`/projects/${project.id}`)).status).toBe(202)
    await settings({ default_project_deletion_protection: true })
    expect((await root.delete(`/projects/${(await make.project()).id}`)).status).toBe(202)
  })

  it('default_syntax_highlighting_theme: applies to new users', async () => {
    await settings({ default_syntax_highlighting_theme: 3 })
    const made = { username: 'themed', name: 'T', email: 'themed@example.test', force_random_password: true }
    expect((await root.post('/users', made)).body.color_scheme_id).toBe(3)
  })
})

describe('approvals', () => {
  let at: string
  beforeAll(async () => {
    at = `/projects/${(await make.project()).id}/approvals`
  })
  const shown = async (field: string) => (await root.get(at)).body[field]

  it.each([
    { setting: 'prevent_merge_requests_author_approval', field: 'merge_requests_author_approval', own: true },
    {
      setting: 'prevent_merge_requests_committers_approval',
      field: 'merge_requests_disable_committers_approval',
      own: false,
    },
    {
      setting: 'disable_overriding_approvers_per_merge_request',
      field: 'disable_overriding_approvers_per_merge_request',
      own: false,
    },
  ])('$setting: takes precedence over project settings', async ({ setting, field, own }) => {
    expect((await root.post(at, { [field]: own })).status).toBe(201)
    expect(await shown(field)).toBe(own)
    await settings({ [setting]: true })
    expect(await shown(field)).toBe(!own)
    expect((await root.post(at, { [field]: own })).body[field]).toBe(!own)
    await settings({ [setting]: false })
    expect(await shown(field)).toBe(own)
  })
})

describe('mirrors', () => {
  const rows = () =>
    w
      .ctx()
      .db.many<{ project_id: number; at: string }>(
        'SELECT project_id, next_update_at AS at FROM pull_mirrors ORDER BY project_id',
      )
  let ids: number[]
  beforeAll(async () => {
    ids = [(await make.project()).id, (await make.project()).id]
    const { db, now } = w.ctx()
    for (const id of ids) {
      db.exec("UPDATE projects SET mirror = 1, import_url = 'https://up.example.test/a.git' WHERE id = ?", id)
      db.exec(
        'INSERT INTO pull_mirrors (project_id, updated_at, next_update_at) VALUES (?, ?, ?)',
        id,
        now,
        now,
      )
    }
  })
  const pulls = () => w.jobs().filter((name) => name === 'mirrors.pull')

  it('mirror_max_capacity: limits concurrent updates', async () => {
    const look = () => mirrorCrons[0]!.run(w.ctx())
    await settings({ mirror_max_capacity: 1, mirror_capacity_threshold: 1 })
    w.ctx().db.exec(
      "UPDATE pull_mirrors SET update_status = 'started', last_update_started_at = ? WHERE project_id = ?",
      w.ctx().now,
      ids[0]!,
    )
    pulls()
    await look()
    expect(pulls()).toEqual([])
    await settings({ mirror_max_capacity: 2 })
    await look()
    expect(pulls()).toEqual(['mirrors.pull'])
  })

  it('mirror_max_delay: limits the time between two updates', async () => {
    const next = (retries: number) => {
      w.ctx().db.exec('UPDATE pull_mirrors SET retry_count = ?', retries)
      recordFailure(w.ctx(), ids[0]!, 'no')
      return (Date.parse(rows()[0]!.at) - clock.now()) / 60_000
    }
    expect(next(4)).toBe(150)
    await settings({ mirror_max_delay: 60 })
    expect(next(4)).toBe(60)
    await settings({ mirror_max_delay: 15 })
    expect(next(0)).toBe(15)
  })
})

describe('pipelines', () => {
  it('auto_devops_domain: is a variable of jobs of projects with Auto DevOps', async () => {
    const project = await make.project()
    fill(w, project, [
      {
        files: {
          '.gitlab-ci.yml':
            'one: { script: echo, rules: [{ if: $KUBE_INGRESS_BASE_DOMAIN == "apps.test" }] }\ntwo: { script: echo }',
        },
      },
    ])
    const jobs = async () => {
      const { body } = await root.post(`/projects/${project.id}/pipeline`, { ref: 'main' })
      const list = (await root.get(`/projects/${project.id}/pipelines/${body.id}/jobs`)).body
      return list.map(({ name }: { name: string }) => name).toSorted()
    }
    expect(await jobs()).toEqual(['two'])
    await settings({ auto_devops_domain: 'apps.test' })
    expect(await jobs()).toEqual(['one', 'two'])
    await root.put(`/projects/${project.id}`, { auto_devops_enabled: false })
    expect(await jobs()).toEqual(['two'])
  })

  it('shared_runners_minutes: jobs stay pending after the monthly minutes are used', async () => {
    const project = await make.project()
    fill(w, project, [{ files: { '.gitlab-ci.yml': 'one: { script: echo }' } }])
    await root.post(`/projects/${project.id}/pipeline`, { ref: 'main' })
    const runner = (await root.post('/user/runners', { runner_type: 'instance_type', run_untagged: true }))
      .body
    const waits = () => {
      const spent = namespacesWithoutMinutes(w.ctx())
      const found = pendingJobsFor(w.ctx().db, { id: runner.id, runner_type: 'instance_type' }, spent)
      const sql =
        'SELECT count(*) AS n FROM ci_jobs WHERE project_id = ? AND id IN (SELECT value FROM json_each(?))'
      return w.ctx().db.one<{ n: number }>(sql, project.id, JSON.stringify(found))!.n
    }
    const { db } = w.ctx()
    // A job of this month with a duration of an hour.
    db.exec(
      `UPDATE ci_jobs SET status = 'success', runner_id = ?, started_at = '2026-05-02T10:00:00.000Z',
         finished_at = '2026-05-02T11:00:00.000Z' WHERE project_id = ?`,
      runner.id,
      project.id,
    )
    await root.post(`/projects/${project.id}/pipeline`, { ref: 'main' })
    expect(waits()).toBe(1)
    await settings({ shared_runners_minutes: 60 })
    expect(waits()).toBe(0)
    await settings({ shared_runners_minutes: 61 })
    expect(waits()).toBe(1)
    await settings({ shared_runners_minutes: 60 })
    clock.advance(25 * 86_400_000)
    expect(waits()).toBe(1)
  })
})
