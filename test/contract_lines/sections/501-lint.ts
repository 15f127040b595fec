import { expect } from 'vitest'

import { from, HIDDEN_PROJECT, teamOn } from '../access.ts'
import { section, line } from '../section.ts'

const content = 'build: { script: make }'

export const statements = section(
  'CI lint',
  async (w, root) => {
    const project = await w.make.project({ with: 'readme' })
    const { id } = project
    await root.post(`/projects/${id}/repository/files/.gitlab-ci.yml`, {
      branch: 'main',
      content,
      commit_message: 'CI',
    })
    return { at: `/projects/${id}/ci/lint`, team: await teamOn(w, 'projects', project) }
  },
  [
    line(
      'POST `/ci/lint` | `content` string required; `include_merged_yaml` boolean; `include_jobs` boolean default false | lint result',
      'POST /ci/lint with include_merged_yaml, include_jobs → both; without → neither; while sign-up is disabled: by a user → 200, by an external user and without a token → 401',
      async ({ w, root, team }) => {
        const plain = (await root.post('/ci/lint', { content })).body
        expect(plain).not.toHaveProperty('jobs')
        const full = (await root.post('/ci/lint', { content, include_merged_yaml: true, include_jobs: true }))
          .body
        expect([full.jobs[0].name, full.merged_yaml]).toEqual(['build', expect.stringContaining('make')])
        expect((await root.post('/ci/lint', {})).status).toBe(400)
        const { anonymous, stranger } = team.clients
        const external = w.as(w.make.user({ external: true }))
        const statuses = async () => {
          const answers = [stranger, external, anonymous].map((client) =>
            client.post('/ci/lint', { content }),
          )
          return (await Promise.all(answers)).map(({ status }) => status)
        }
        await root.put('/application/settings', { signup_enabled: true })
        expect(await statuses()).toEqual([200, 200, 200])
        await root.put('/application/settings', { signup_enabled: false })
        expect(await statuses()).toEqual([200, 401, 401])
      },
    ),
    line(
      'POST `/projects/:id/ci/lint` | `content` required; `dry_run` boolean default false; `include_jobs` boolean default false; `ref` string (with dry_run; default branch when unset) | lint result',
      'POST …/ci/lint with dry_run, include_jobs, ref → valid',
      async ({ root, at }) => {
        expect(
          (await root.post(at, { content, dry_run: true, include_jobs: true, ref: 'main' })).body.valid,
        ).toBe(true)
        expect((await root.post(at, {})).status).toBe(400)
      },
      from('developer', (client, { at }) => client.post(at, { content })),
    ),
    line(
      'GET `/projects/:id/ci/lint` | `dry_run`, `include_jobs`, `ref`; lints the default branch HEAD configuration with project context | lint result',
      'GET …/ci/lint → the configuration of the default branch',
      async ({ root, at }) => {
        const { body } = await root.get(`${at}?include_jobs=true&dry_run=true&ref=main`)
        expect([body.valid, body.jobs[0].name]).toEqual([true, 'build'])
      },
      from('reporter', (client, { at }) => client.get(at), HIDDEN_PROJECT),
    ),
    line(
      'Rules: when `content` is missing on POST `/ci/lint` the body is an error object saying content is missing. Expansion does not work for local includes; `extends` is only partly supported.',
      'POST /ci/lint without content → 400 {"error": "content is missing"}',
      async ({ root }) => {
        expect((await root.post('/ci/lint', {})).body).toEqual({ error: 'content is missing' })
        expect((await root.post('/ci/lint', { content: 'include: { local: x.yml }' })).body.status).toBe(
          'invalid',
        )
      },
    ),
  ],
)
