import { expect } from 'vitest'

import { section, line, unproven } from '../section.ts'

export const statements = section(
  'Runners',
  async (w, root) => {
    const project = await w.make.project()
    const other = await w.make.project()
    const { body: shared } = await root.post('/user/runners', {
      runner_type: 'instance_type',
      description: 'shared',
      tag_list: 'a,b',
    })
    const { body: own } = await root.post('/user/runners', {
      runner_type: 'project_type',
      project_id: project.id,
      description: 'own',
    })
    return { project, other, shared, own, ada: w.make.user() }
  },
  [
    line(
      'GET `/runners` | `scope` (deprecated), `type` (`instance_type`, `group_type`, `project_type`), `status` (`online`, `offline`, `stale`, `never_contacted`; `active`/`paused` deprecated), `paused` boolean, `tag_list` string array | array of runner list entry',
      'GET /runners with each filter → 200',
      async ({ root }) => {
        const queries = [
          'scope=active',
          'type=instance_type',
          'type=group_type',
          'type=project_type',
          'status=online',
          'status=offline',
          'status=stale',
          'status=never_contacted',
          'status=active',
          'status=paused',
          'paused=true',
          'tag_list=a,b',
          'tag_list[]=a',
        ]
        for (const query of queries)
          expect([query, (await root.get(`/runners?${query}`)).status]).toEqual([query, 200])
      },
    ),
    line(
      'GET `/runners/all` | as above; administrators only; `scope` also accepts `specific`, `shared` | same',
      'GET /runners/all?scope=specific, shared → 200; by a user → 403',
      async ({ w, root, ada }) => {
        for (const scope of ['specific', 'shared'])
          expect((await root.get(`/runners/all?scope=${scope}`)).status).toBe(200)
        expect((await w.as(ada).get('/runners/all')).status).toBe(403)
      },
    ),
    line(
      'GET `/runners/:id` | Maintainer role for project/group runners; instance runners visible to all signed-in users | runner detail',
      'GET of an instance runner by a user → 200, of a project runner → 403',
      async ({ w, ada, shared, own }) => {
        expect((await w.as(ada).get(`/runners/${shared.id}`)).status).toBe(200)
        expect((await w.as(ada).get(`/runners/${own.id}`)).status).toBe(403)
      },
    ),
    line(
      'PUT `/runners/:id` | `description`, `active` (deprecated), `paused`, `tag_list`, `run_untagged`, `locked`, `access_level`, `maximum_timeout` (seconds) | runner detail',
      'PUT with each → 200',
      async ({ root, shared }) => {
        const params = {
          description: 'd',
          paused: true,
          tag_list: ['x'],
          run_untagged: true,
          locked: false,
          access_level: 'ref_protected',
          maximum_timeout: 1200,
        }
        const { status, body } = await root.put(`/runners/${shared.id}`, params)
        expect([status, body]).toEqual([200, expect.objectContaining(params)])
        expect((await root.put(`/runners/${shared.id}`, { active: true })).body.paused).toBe(false)
      },
    ),
    line(
      'GET `/runners/:id/jobs` | `status` (`running`, `success`, `failed`, `canceled`), `order_by` (`id`), `sort` (default `desc`; give order_by too); limited to projects where the caller has at least Reporter | array of job',
      'GET …/jobs?status=&order_by=id&sort=asc → 200',
      async ({ root, shared }) => {
        for (const status of ['running', 'success', 'failed', 'canceled'])
          expect(
            (await root.get(`/runners/${shared.id}/jobs?status=${status}&order_by=id&sort=asc`)).status,
          ).toBe(200)
        expect((await root.get(`/runners/${shared.id}/jobs?order_by=odd`)).status).toBe(400)
      },
    ),
    line(
      'GET `/projects/:id/runners` | `scope`, `type`, `status`, `paused`, `tag_list` | array of runner list entry (includes ancestor-group and allowed shared runners)',
      'GET …/runners with each filter → 200, shared ones too',
      async ({ root, project, own, shared }) => {
        for (const query of [
          'scope=active',
          'type=project_type',
          'status=never_contacted',
          'paused=false',
          'tag_list=a',
        ])
          expect((await root.get(`/projects/${project.id}/runners?${query}`)).status).toBe(200)
        const ids = (await root.get(`/projects/${project.id}/runners`)).body.map(
          (runner: { id: number }) => runner.id,
        )
        expect(ids).toEqual(expect.arrayContaining([own.id, shared.id]))
      },
    ),
    line(
      'POST `/projects/:id/runners` | `runner_id` integer required | runner list entry',
      'POST with runner_id → 201; without → 400',
      async ({ root, other, own }) => {
        await root.put(`/runners/${own.id}`, { locked: false })
        const added = await root.post(`/projects/${other.id}/runners`, { runner_id: own.id })
        expect([added.status, added.body.id]).toEqual([201, own.id])
        expect((await root.post(`/projects/${other.id}/runners`, {})).status).toBe(400)
      },
    ),
    unproven(
      'Endpoints to disable a runner from a project, register, delete or reset a runner token: not shown.',
      'The contract does not show them; spec ci does.',
    ),
  ],
)
