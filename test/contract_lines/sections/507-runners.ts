import { expect } from 'vitest'

import { FORBIDDEN, from, teamOn, visitors, within } from '../access.ts'
import type { Client } from '../../support/world.ts'
import { section, line, unproven, type CheckArgs } from '../section.ts'

/** The answer to members and strangers who may not see or change a runner. */
const NO_ACCESS = [403, '403 Forbidden - No access granted'] as const
const refusals = { stranger: NO_ACCESS, member: NO_ACCESS }

const readRunner = (client: Client, { runner }: CheckArgs) => client.get(`/runners/${runner.id}`)
const changeRunner = (client: Client, { runner }: CheckArgs, description: string) =>
  client.put(`/runners/${runner.id}`, { description })
/** Who may read and change runners of the instance and of groups. */
const OTHER_RUNNERS = [
  within('ofInstance', from('stranger', readRunner)),
  within('inGroup', from('maintainer', readRunner, refusals)),
]
const OTHER_CHANGES = [
  within('ofInstance', from('administrator', changeRunner, refusals)),
  within('inGroup', from('owner', changeRunner, refusals)),
]

const idsOf = (body: { id: number }[]) => body.map(({ id }) => id)

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
    const group = await w.make.group()
    const { body: ofGroup } = await root.post('/user/runners', {
      runner_type: 'group_type',
      group_id: group.id,
      description: 'of the group',
    })
    const team = await teamOn(w, 'projects', project)
    const ofInstance = { team: visitors(w), runner: shared }
    const inGroup = { team: await teamOn(w, 'groups', group), runner: ofGroup }
    return { project, other, shared, own, ofGroup, team, ofInstance, inGroup }
  },
  [
    line(
      'GET `/runners` | `scope` (deprecated), `type` (`instance_type`, `group_type`, `project_type`), `status` (`online`, `offline`, `stale`, `never_contacted`; `active`/`paused` deprecated), `paused` boolean, `tag_list` string array | array of runner list entry',
      'GET /runners with each filter → 200; the runners of a project by its maintainer, none by a developer; without a token → 401',
      async ({ root, own, ofGroup, team, inGroup }) => {
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
        const { anonymous, developer, maintainer } = team.clients
        expect(idsOf((await maintainer.get('/runners')).body)).toEqual([own.id])
        expect(idsOf((await inGroup.team.clients.maintainer.get('/runners')).body)).toEqual([ofGroup.id])
        for (const client of [developer, inGroup.team.clients.developer])
          expect((await client.get('/runners')).body).toEqual([])
        expect((await anonymous.get('/runners')).status).toBe(401)
      },
    ),
    line(
      'GET `/runners/all` | as above; administrators only; `scope` also accepts `specific`, `shared` | same',
      'GET /runners/all?scope=specific, shared → 200',
      async ({ root }) => {
        for (const scope of ['specific', 'shared'])
          expect((await root.get(`/runners/all?scope=${scope}`)).status).toBe(200)
      },
      from('administrator', (client) => client.get('/runners/all'), { stranger: FORBIDDEN }),
    ),
    line(
      'GET `/runners/:id` | Maintainer role for project/group runners; instance runners visible to all signed-in users | runner detail',
      'GET of an instance runner by any user → 200, without a token → 401; of a project or group runner',
      async (args) => {
        for (const rule of OTHER_RUNNERS) await rule.holds(args)
      },
      from('maintainer', (client, { own }) => client.get(`/runners/${own.id}`), refusals),
    ),
    line(
      'PUT `/runners/:id` | `description`, `active` (deprecated), `paused`, `tag_list`, `run_untagged`, `locked`, `access_level`, `maximum_timeout` (seconds) | runner detail',
      'PUT with each → 200; of an instance runner by an administrator, of a group runner by an owner, of a project runner',
      async (args) => {
        const { root, shared } = args
        for (const rule of OTHER_CHANGES) await rule.holds(args)

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
      from(
        'maintainer',
        (client, { own }, description) => client.put(`/runners/${own.id}`, { description }),
        refusals,
      ),
    ),
    line(
      'GET `/runners/:id/jobs` | `status` (`running`, `success`, `failed`, `canceled`), `order_by` (`id`), `sort` (default `desc`; give order_by too); limited to projects where the caller has at least Reporter | array of job',
      'GET …/jobs?status=&order_by=id&sort=asc → 200; a job that an instance runner ran, by a reporter of its project → that job, by a guest → none; of a project runner',
      async ({ w, root, shared, project, team }) => {
        for (const status of ['running', 'success', 'failed', 'canceled'])
          expect(
            (await root.get(`/runners/${shared.id}/jobs?status=${status}&order_by=id&sort=asc`)).status,
          ).toBe(200)
        expect((await root.get(`/runners/${shared.id}/jobs?order_by=odd`)).status).toBe(400)
        const at = `/projects/${project.id}`
        const content = 'build: { script: make, tags: [of-reporters] }'
        const file = { branch: 'main', content, commit_message: 'CI' }
        await root.post(`${at}/repository/files/.gitlab-ci.yml`, file)
        const params = { runner_type: 'instance_type', tag_list: 'of-reporters', run_untagged: false }
        const { body: runner } = await root.post('/user/runners', params)
        await w.drain()
        const { body: job } = await w.as(null).post('/jobs/request', { token: runner.token })
        const jobsFor = async (caller: string) =>
          idsOf((await team.clients[caller].get(`/runners/${runner.id}/jobs`)).body)
        expect(job.id).toBeGreaterThan(0)
        expect(await jobsFor('reporter')).toEqual([job.id])
        for (const caller of ['stranger', 'guest']) expect(await jobsFor(caller)).toEqual([])
      },
      from('maintainer', (client, { own }) => client.get(`/runners/${own.id}/jobs`), refusals),
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
      from('maintainer', (client, { project }) => client.get(`/projects/${project.id}/runners`)),
    ),
    line(
      'POST `/projects/:id/runners` | `runner_id` integer required | runner list entry',
      'POST with runner_id → 201; without → 400; of a runner of projects that the caller does not maintain → 403',
      async ({ w, root, other, own }) => {
        await root.put(`/runners/${own.id}`, { locked: false })
        const added = await root.post(`/projects/${other.id}/runners`, { runner_id: own.id })
        expect([added.status, added.body.id]).toEqual([201, own.id])
        expect((await root.post(`/projects/${other.id}/runners`, {})).status).toBe(400)
        const eve = w.make.user()
        const hers = await w.make.project({ owner: eve })
        const refused = await w.as(eve).post(`/projects/${hers.id}/runners`, { runner_id: own.id })
        expect([refused.status, refused.body.message]).toEqual([...NO_ACCESS])
      },
    ),
    unproven(
      'Endpoints to disable a runner from a project, register, delete or reset a runner token: not shown.',
      'The contract does not show them; spec ci does.',
    ),
  ],
)
