import { expect } from 'vitest'

import { eachFrom, from, HIDDEN_GROUP, HIDDEN_PROJECT, teamOn, visitors, within } from '../access.ts'
import { accessLine, line, section, type CheckArgs } from '../section.ts'

const CONFIG = `
build: { script: make, tags: [of-roles] }
deploy: { script: deploy, when: manual, tags: [of-roles] }
`

/** A new pipeline on a branch that developers may push to. */
async function newPipeline({ w, root, at }: CheckArgs): Promise<number> {
  const { body } = await root.post(`${at}/pipeline`, { ref: 'work' })
  await w.drain()
  return body.id
}

async function jobOf({ root, at }: CheckArgs, pipeline: number, name: string): Promise<string> {
  const { body } = await root.get(`${at}/pipelines/${pipeline}/jobs`)
  return `${at}/jobs/${body.find((job: { name: string }) => job.name === name).id}`
}

/** A job of a new pipeline. */
const newJob = async (args: CheckArgs, name: string): Promise<string> =>
  jobOf(args, await newPipeline(args), name)

/** Runs jobs until this one has ended, with a log. */
async function ended({ w, runner }: CheckArgs, job: string): Promise<string> {
  const anyone = w.as(null)
  for (;;) {
    await w.drain()
    const { status, body } = await anyone.post('/jobs/request', { token: runner.token })
    if (status !== 201) throw new Error(`The runner got no job: ${status}`)
    const headers = { 'job-token': body.token, 'content-type': 'text/plain', 'content-range': '0-2' }
    await anyone.patch(`/jobs/${body.id}/trace`, 'log', headers)
    await anyone.put(`/jobs/${body.id}`, { token: body.token, state: 'success' })
    if (job.endsWith(`/${body.id}`)) return job
  }
}

/** A job that has ended with a log. */
const endedJob = async (args: CheckArgs): Promise<string> => ended(args, await newJob(args, 'build'))

const ON_MAIN = [
  400,
  {
    message: {
      base: [
        "You do not have sufficient permission to run a pipeline on 'main'. Please select a different branch or contact your administrator for assistance.",
      ],
    },
  },
] as const

export const statements = section(
  'ci 2, 5 and 7: Pipelines, jobs, triggers, variables, deployments, flags',
  async (w, root) => {
    const project = await w.make.project({ with: 'readme' })
    const at = `/projects/${project.id}`
    const file = { content: CONFIG, commit_message: 'CI' }
    await root.post(`${at}/repository/files/.gitlab-ci.yml`, { branch: 'main', ...file })
    await root.post(`${at}/repository/branches`, { branch: 'work', ref: 'main' })
    await w.drain()
    const { body: runner } = await root.post('/user/runners', {
      runner_type: 'instance_type',
      tag_list: 'of-roles',
      run_untagged: false,
    })
    const restricted = await w.make.project({ with: 'readme' })
    // Its jobs are for another runner.
    await root.post(`/projects/${restricted.id}/repository/files/.gitlab-ci.yml`, {
      branch: 'main',
      content: CONFIG.replaceAll('of-roles', 'of-nobody'),
      commit_message: 'CI',
    })
    await root.post(`/projects/${restricted.id}/repository/branches`, { branch: 'work', ref: 'main' })
    await root.put(`/projects/${restricted.id}`, { restrict_user_defined_variables: true })
    const group = await w.make.group()
    await root.post(`${at}/variables`, { key: 'KNOWN', value: 'x' })
    await root.post(`/groups/${group.id}/variables`, { key: 'KNOWN', value: 'x' })
    await root.post('/admin/ci/variables', { key: 'KNOWN', value: 'x' })
    const { body: branch } = await root.get(`${at}/repository/branches/work`)
    return {
      at,
      runner,
      sha: branch.commit.id,
      team: await teamOn(w, 'projects', project),
      restricted: { at: `/projects/${restricted.id}`, team: await teamOn(w, 'projects', restricted) },
      inGroup: { at: `/groups/${group.id}`, team: await teamOn(w, 'groups', group) },
      everywhere: { at: '/admin/ci', team: visitors(w) },
    }
  },
  [
    line(
      '2.6 GET …/pipelines/:pipeline_id/variables: Maintainer, or author of the pipeline',
      'GET by the author, a developer → 200',
      async ({ at, team }) => {
        const { developer } = team.clients
        const { body } = await developer.post(`${at}/pipeline`, { ref: 'work' })
        expect((await developer.get(`${at}/pipelines/${body.id}/variables`)).status).toBe(200)
      },
      from(
        'maintainer',
        async (client, args) => client.get(`${args['at']}/pipelines/${await newPipeline(args)}/variables`),
        HIDDEN_PROJECT,
      ),
    ),
    accessLine(
      '2.6 POST /projects/:id/pipeline: Insufficient permissions',
      from('developer', (client, { at }) => client.post(`${at}/pipeline`, { ref: 'work' })),
    ),
    accessLine(
      '2.6 POST /projects/:id/pipeline of a protected ref',
      from('maintainer', (client, { at }) => client.post(`${at}/pipeline`, { ref: 'main' }), {
        developer: ON_MAIN,
      }),
    ),
    accessLine(
      '2.6 variables not allowed for the user: Insufficient permissions to set pipeline variables',
      within(
        'restricted',
        from(
          'maintainer',
          (client, { at }) =>
            client.post(`${at}/pipeline`, { ref: 'work', variables: [{ key: 'A', value: 'b' }] }),
          { developer: [400, { message: { base: ['Insufficient permissions to set pipeline variables'] } }] },
        ),
      ),
    ),
    accessLine(
      '2.6 POST …/pipelines/:pipeline_id/retry, /cancel',
      eachFrom('developer', {
        'POST …/retry': async (client, args) =>
          client.post(`${args['at']}/pipelines/${await newPipeline(args)}/retry`),
        'POST …/cancel': async (client, args) =>
          client.post(`${args['at']}/pipelines/${await newPipeline(args)}/cancel`),
      }),
    ),
    accessLine(
      '2.6 DELETE …/pipelines/:pipeline_id: Owner',
      from('owner', async (client, args) =>
        client.delete(`${args['at']}/pipelines/${await newPipeline(args)}`),
      ),
    ),
    accessLine(
      '2.7 POST …/jobs/:job_id/cancel, /retry, /play: 403',
      eachFrom('developer', {
        'POST …/cancel': async (client, args) => client.post(`${await newJob(args, 'build')}/cancel`),
        'POST …/play': async (client, args) => client.post(`${await newJob(args, 'deploy')}/play`),
        'POST …/retry': async (client, args) => client.post(`${await endedJob(args)}/retry`),
      }),
    ),
    line(
      '2.7 POST …/jobs/:job_id/erase: 403',
      'POST by a developer of a job that they started → 201',
      async (args) => {
        const { developer } = args['team'].clients
        const { body } = await developer.post(`${args['at']}/pipeline`, { ref: 'work' })
        const job = await ended(args as CheckArgs, await jobOf(args as CheckArgs, body.id, 'build'))
        expect((await developer.post(`${job}/erase`)).status).toBe(201)
      },
      from('maintainer', async (client, args) => client.post(`${await endedJob(args)}/erase`)),
    ),
    accessLine(
      '1.9 debug_trace=true on the first chunk restricts who may read the log',
      from(
        'developer',
        async (client, args) => {
          const { w, runner, at } = args
          await newPipeline(args)
          const { body: job } = await w.as(null).post('/jobs/request', { token: runner.token })
          const headers = { 'job-token': job.token, 'content-type': 'text/plain', 'content-range': '0-2' }
          await w.as(null).patch(`/jobs/${job.id}/trace?debug_trace=true`, 'log', headers)
          const answer = await client.get(`${at}/jobs/${job.id}/trace`)
          await w.as(null).put(`/jobs/${job.id}`, { token: job.token, state: 'success' })
          return answer
        },
        HIDDEN_PROJECT,
      ),
    ),
    line(
      '2.7 GET /job: job token; 401; other auth kinds 404 Job Not Found',
      'GET with JOB-TOKEN of a running job → 200, after its end → 401; by an administrator → 404; without a token → 401',
      async (args) => {
        const { w, root, at, runner } = args
        const anyone = w.as(null)
        await newPipeline(args)
        const { body: job } = await anyone.post('/jobs/request', { token: runner.token })
        const headers = { 'job-token': job.token }
        const own = await anyone.get('/job', headers)
        expect([own.status, own.body.id]).toEqual([200, job.id])
        const read = async () => (await anyone.get(`${at}/releases`, headers)).status
        expect(await read()).toBe(200)
        await anyone.put(`/jobs/${job.id}`, { token: job.token, state: 'success' })
        expect([await read(), (await anyone.get('/job', headers)).status]).toEqual([401, 401])
        const other = await root.get('/job')
        expect([other.status, other.body]).toEqual([404, { message: '404 Job Not Found' }])
        const none = await anyone.get('/job')
        expect([none.status, none.body]).toEqual([401, { message: '401 Unauthorized' }])
      },
    ),
    line(
      '2.8 the token of a trigger is shown only to its owner; others see the first 4 characters',
      'GET by its owner → the token, by another maintainer → 4 characters',
      async ({ root, at, team }) => {
        const { body: made } = await team.clients.maintainer.post(`${at}/triggers`, { description: 'own' })
        const shownTo = async (client: typeof root) =>
          (await client.get(`${at}/triggers/${made.id}`)).body.token
        expect(await shownTo(team.clients.maintainer)).toBe(made.token)
        expect(await shownTo(team.clients.owner)).toBe(made.token.replace('glptt-', '').slice(0, 4))
      },
    ),
    accessLine(
      '2.8 GET /projects/:id/triggers',
      from('maintainer', (client, { at }) => client.get(`${at}/triggers`), HIDDEN_PROJECT),
    ),
    accessLine(
      '2.8 POST /projects/:id/triggers: Maintainer; DELETE',
      eachFrom('maintainer', {
        'POST …/triggers': (client, { at }, description) => client.post(`${at}/triggers`, { description }),
        'DELETE …/triggers/:trigger_id': async (client, { root, at }, description) => {
          const { body } = await root.post(`${at}/triggers`, { description })
          return client.delete(`${at}/triggers/${body.id}`)
        },
      }),
    ),
    line(
      '2.8 PUT /projects/:id/triggers/:trigger_id: the owner of the trigger',
      'PUT by the maintainer who created it → 200, by another → 403',
      async ({ at, team }) => {
        const { maintainer, owner } = team.clients
        const { body } = await maintainer.post(`${at}/triggers`, { description: 'own' })
        const refused = await owner.put(`${at}/triggers/${body.id}`, { description: 'x' })
        expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
        expect((await maintainer.put(`${at}/triggers/${body.id}`, { description: 'x' })).status).toBe(200)
      },
    ),
    line(
      '2.8 POST /projects/:id/trigger/pipeline: token, no user auth; unknown 404, invalid job token 401',
      'POST without a user: with the token → 201, with another → 404, with a token of no job → 401',
      async ({ w, root, at }) => {
        const { body } = await root.post(`${at}/triggers`, { description: 'anyone' })
        const anyone = w.as(null)
        const start = (token: string) => anyone.post(`${at}/trigger/pipeline`, { token, ref: 'work' })
        expect((await start(body.token)).status).toBe(201)
        const unknown = await start('glptt-unknown')
        expect([unknown.status, unknown.body]).toEqual([404, { message: '404 Not Found' }])
        const ended = await start('glcbt-ended')
        expect([ended.status, ended.body]).toEqual([401, { message: '401 Unauthorized' }])
      },
    ),
    accessLine(
      '2.9 GET /projects/:id/variables, /:key: needs Maintainer',
      eachFrom(
        'maintainer',
        {
          'GET …/variables': (client, { at }) => client.get(`${at}/variables`),
          'GET …/variables/:key': (client, { at }) => client.get(`${at}/variables/KNOWN`),
        },
        HIDDEN_PROJECT,
      ),
    ),
    ...(
      [
        ['projects', undefined, 'maintainer'],
        ['groups', 'inGroup', 'owner'],
        ['admin/ci', 'everywhere', 'administrator'],
      ] as const
    ).map(([path, name, least]) => {
      const rule = eachFrom(least, {
        'POST …/variables': (client, { at }, caller) =>
          client.post(`${at}/variables`, { key: `NEW_${caller}`, value: 'x' }),
        'PUT …/variables/:key': (client, { at }, value) => client.put(`${at}/variables/KNOWN`, { value }),
        'DELETE …/variables/:key': async (client, { root, at }, caller) => {
          await root.post(`${at}/variables`, { key: `GONE_${caller}`, value: 'x' })
          return client.delete(`${at}/variables/GONE_${caller}`)
        },
      })
      return accessLine(`2.9 POST, PUT, DELETE variables of ${path}`, name ? within(name, rule) : rule)
    }),
    accessLine(
      '2.9 GET /groups/:id/variables',
      within(
        'inGroup',
        from('owner', (client, { at }) => client.get(`${at}/variables`), HIDDEN_GROUP),
      ),
    ),
    accessLine(
      '2.9 GET /admin/ci/variables: admin',
      within(
        'everywhere',
        from('administrator', (client) => client.get('/admin/ci/variables')),
      ),
    ),
    accessLine(
      '5.5 GET /projects/:id/deployments',
      from('reporter', (client, { at }) => client.get(`${at}/deployments`)),
    ),
    accessLine(
      '5.5 POST and PUT /projects/:id/deployments: 403',
      eachFrom('developer', {
        'POST …/deployments': (client, { at, sha }, caller) =>
          client.post(`${at}/deployments`, {
            environment: `e-${caller}`,
            sha,
            ref: 'work',
            tag: false,
            status: 'success',
          }),
        'PUT …/deployments/:deployment_id': async (client, { root, at, sha }, caller) => {
          const { body } = await root.post(`${at}/deployments`, {
            environment: `p-${caller}`,
            sha,
            ref: 'work',
            tag: false,
            status: 'running',
          })
          return client.put(`${at}/deployments/${body.id}`, { status: 'success' })
        },
      }),
    ),
    accessLine(
      '5.5 DELETE /projects/:id/deployments/:deployment_id: 403',
      from('maintainer', async (client, { root, at, sha }, caller) => {
        const { body } = await root.post(`${at}/deployments`, {
          environment: `d-${caller}`,
          sha,
          ref: 'work',
          tag: false,
          status: 'failed',
        })
        return client.delete(`${at}/deployments/${body.id}`)
      }),
    ),
    accessLine(
      '7.3 GET /projects/:id/feature_flags_user_lists: Developer role',
      from('developer', (client, { at }) => client.get(`${at}/feature_flags_user_lists`), HIDDEN_PROJECT),
    ),
    accessLine(
      '7.3 POST, PUT, DELETE /projects/:id/feature_flags_user_lists: Developer role',
      eachFrom('developer', {
        'POST …/feature_flags_user_lists': (client, { at }, name) =>
          client.post(`${at}/feature_flags_user_lists`, { name, user_xids: '1' }),
        'PUT …/feature_flags_user_lists/:iid': async (client, { root, at }, caller) => {
          const { body } = await root.post(`${at}/feature_flags_user_lists`, {
            name: `put-${caller}`,
            user_xids: '1',
          })
          return client.put(`${at}/feature_flags_user_lists/${body.iid}`, { user_xids: '2' })
        },
        'DELETE …/feature_flags_user_lists/:iid': async (client, { root, at }, caller) => {
          const { body } = await root.post(`${at}/feature_flags_user_lists`, {
            name: `gone-${caller}`,
            user_xids: '1',
          })
          return client.delete(`${at}/feature_flags_user_lists/${body.iid}`)
        },
      }),
    ),
  ],
)
