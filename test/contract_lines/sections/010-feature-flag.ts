import { expect } from 'vitest'

import { eachFrom, teamOn, within } from '../access.ts'
import { accessLine, hasFields, hasOnlyFields, section, line } from '../section.ts'

const version = 'new_version_flag'

export const statements = section(
  'Feature flag (Developer role or higher to access)',
  async (w, root) => {
    const { id } = await w.make.project()
    const at = `/projects/${id}/feature_flags`
    const strategies = [
      {
        name: 'gradualRolloutUserId',
        parameters: { groupId: 'default', percentage: '50' },
        scopes: [{ environment_scope: 'staging' }],
      },
    ]
    await root.post(at, { name: 'flag', version, description: 'It flags', strategies })
    const open = await w.make.project({ visibility: 'public' })
    const openAt = `/projects/${open.id}/feature_flags`
    await root.post(openAt, { name: 'flag', version })
    const shown = { at: openAt, team: await teamOn(w, 'projects', open) }
    return { at, id, shown, flag: async () => (await root.get(`${at}/flag`)).body }
  },
  [
    accessLine(
      'Feature flag (Developer role or higher to access)',
      within(
        'shown',
        eachFrom('developer', {
          'In a public project, GET …/feature_flags': (client, { at }) => client.get(at),
          'GET …/:name': (client, { at }) => client.get(`${at}/flag`),
          POST: (client, { at }, name) => client.post(at, { name, version }),
          PUT: (client, { at }, description) => client.put(`${at}/flag`, { description }),
          DELETE: (client, { at }, name) => client.delete(`${at}/${name}`),
        }),
      ),
    ),
    line(
      'name | string | unique name within the project',
      'GET /projects/:id/feature_flags/:name → name; a second POST of the name → 400',
      async ({ root, at, flag }) => {
        expect((await flag()).name).toBe('flag')
        expect((await root.post(at, { name: 'flag', version })).status).toBe(400)
      },
    ),
    line('description | string or null |', 'GET …/:name → description', async ({ root, at, flag }) => {
      expect((await flag()).description).toBe('It flags')
      expect((await root.post(at, { name: 'silent', version })).body.description).toBe(null)
    }),
    line('active | boolean |', 'GET …/:name → active', async ({ flag }) =>
      hasFields(await flag(), { active: 'boolean' }),
    ),
    line(
      'version | string | `new_version_flag`; a flag created without version is a Legacy flag',
      'POST without version → 201, version legacy_flag',
      async ({ root, at, flag }) => {
        expect((await flag()).version).toBe(version)
        expect((await root.post(at, { name: 'old' })).body.version).toBe('legacy_flag')
      },
    ),
    line('created_at, updated_at | timestamp |', 'GET …/:name → timestamps', async ({ flag }) =>
      hasFields(await flag(), { created_at: 'timestamp', updated_at: 'timestamp' }),
    ),
    line('scopes | array | empty for new-version flags', 'GET …/:name → scopes []', async ({ flag }) => {
      expect((await flag()).scopes).toEqual([])
    }),
    line('strategies | array of strategy |', 'GET …/:name → strategies', async ({ flag }) =>
      hasFields(await flag(), { strategies: 'array' }),
    ),
    line(
      'Strategy: `id` (integer), `name`, `parameters` (object), `scopes` (array of `{id: integer, environment_scope: string}`).',
      'GET …/:name → strategies[0]',
      async ({ flag }) => {
        const [strategy] = (await flag()).strategies
        hasFields(strategy, { id: 'integer', name: 'string', parameters: 'object', scopes: 'array' })
        hasOnlyFields(strategy.scopes[0], { id: 'integer', environment_scope: 'string' })
      },
    ),
    line(
      'Strategy names: `default`, `gradualRolloutUserId`, `userWithId`, `serviceUserList`, and `flexibleRollout` (later release).',
      'POST with each strategy → 201',
      async ({ root, at, id }) => {
        const { body: list } = await root.post(`/projects/${id}/feature_flags_user_lists`, {
          name: 'people',
          user_xids: '1,2',
        })
        const strategies = [
          { name: 'default', parameters: {} },
          { name: 'gradualRolloutUserId', parameters: { groupId: 'default', percentage: '10' } },
          { name: 'userWithId', parameters: { userIds: '1,2' } },
          { name: 'serviceUserList', parameters: {}, user_list_id: list.iid },
          {
            name: 'flexibleRollout',
            parameters: { groupId: 'default', rollout: '10', stickiness: 'default' },
          },
        ]
        for (const [index, strategy] of strategies.entries()) {
          const made = await root.post(at, { name: `with-${index}`, version, strategies: [strategy] })
          expect([strategy.name, made.status, made.text]).toEqual([strategy.name, 201, made.text])
        }
      },
    ),
    line(
      'Parameter shapes seen: `userWithId` has `userIds` (string); `gradualRolloutUserId` has `groupId` (string) and `percentage` (string); `default` has an empty object.',
      'POST with other parameters → 400',
      async ({ root, at, flag }) => {
        expect((await flag()).strategies[0].parameters).toEqual({ groupId: 'default', percentage: '50' })
        const wrong = {
          name: 'odd',
          version,
          strategies: [{ name: 'userWithId', parameters: { userIds: 5 } }],
        }
        expect((await root.post(at, wrong)).status).toBe(400)
      },
    ),
  ],
)
