import { expect } from 'vitest'

import { from, visitors } from '../access.ts'
import type { Client } from '../../support/world.ts'
import { section, line, unproven } from '../section.ts'

export const statements = section(
  'Users',
  async (w) => ({ ada: w.make.user({ username: 'ada_contract' }), eve: w.make.user(), team: visitors(w) }),
  [
    line(
      'GET `/users` | `page`, `per_page`; `search` (name, username, public email; email needs exact match; admins search all emails); `username` (case-insensitive); `active=true`; `blocked=true`; `external=true`; `exclude_internal=true`; `exclude_external=true`; `without_project_bots=true`. Administrators also: `order_by` (`id`, `name`, `username`, `created_at`, `updated_at`; default `id`), `sort` (default `desc`), `two_factor` (`enabled`, `disabled`), `without_projects` (default false), `admins` (default false), `saml_provider_id` (PREMIUM), `extern_uid` with `provider`, `created_before`, `created_after`, `custom_attributes[key]`, `with_custom_attributes`',
      'GET /users with each filter → 200; a private address finds nobody for users, whole for administrators; filters and orders of administrators have no effect for users; without a token and username → 403',
      async ({ w, root, ada, eve }) => {
        const queries = [
          'search=ada',
          'username=ADA_CONTRACT',
          'active=true',
          'blocked=true',
          'external=true',
          'exclude_internal=true',
          'exclude_external=true',
          'without_project_bots=true',
          'order_by=name',
          'order_by=username',
          'order_by=created_at',
          'order_by=updated_at',
          'order_by=id&sort=asc',
          'two_factor=enabled',
          'two_factor=disabled',
          'without_projects=true',
          'admins=true',
          'saml_provider_id=1',
          'extern_uid=x&provider=y',
          'created_before=2020-01-01T00:00:00Z',
          'created_after=2020-01-01T00:00:00Z',
          'custom_attributes[key]=v',
          'with_custom_attributes=true',
          'page=1&per_page=1',
        ]
        for (const query of queries)
          expect([query, (await root.get(`/users?${query}`)).status]).toEqual([query, 200])
        expect((await root.get('/users?username=ADA_CONTRACT')).body).toHaveLength(1)
        const address = encodeURIComponent(`${ada.username}@example.test`)
        expect((await root.get(`/users?search=${address}`)).body).toHaveLength(1)
        expect((await w.as(eve).get(`/users?search=${address}`)).body).toEqual([])
        const ids = async (client: Client, query: string) =>
          (await client.get(`/users?per_page=100&${query}`)).body.map((user: { id: number }) => user.id)
        const everybody = await ids(w.as(eve), '')
        for (const query of [
          'order_by=username',
          'sort=asc',
          'two_factor=enabled',
          'without_projects=true',
          'admins=true',
          'saml_provider_id=1',
          'extern_uid=x&provider=y',
          'created_before=2020-01-01T00:00:00Z',
          'created_after=2999-01-01T00:00:00Z',
          'custom_attributes[key]=v',
        ]) {
          expect([query, await ids(w.as(eve), query)]).toEqual([query, everybody])
          expect([query, await ids(root, query)]).not.toEqual([query, everybody])
        }
        const attributes = `/users?with_custom_attributes=true&username=${ada.username}`
        expect((await w.as(eve).get(attributes)).body[0]).not.toHaveProperty('custom_attributes')
        expect((await root.get(attributes)).body[0]).toHaveProperty('custom_attributes')
        expect((await w.as(null).get(`/users?username=${ada.username}`)).body).toHaveLength(1)
        const refused = await w.as(null).get('/users')
        expect([refused.status, refused.body.message]).toEqual([
          403,
          '403 Forbidden - Not authorized to access /api/v4/users',
        ])
      },
    ),
    line(
      'GET `/users/:id` | `id` integer required; administrators may add `with_custom_attributes=true`',
      'GET /users/:id?with_custom_attributes=true → custom_attributes for administrators, not for users',
      async ({ w, root, ada, eve }) => {
        expect(
          (await root.get(`/users/${ada.id}?with_custom_attributes=true`)).body.custom_attributes,
        ).toEqual([])
        const seen = await w.as(eve).get(`/users/${ada.id}?with_custom_attributes=true`)
        expect(seen.status).toBe(200)
        expect(seen.body).not.toHaveProperty('custom_attributes')
        expect((await root.get('/users/odd')).status).toBe(400)
      },
      from('stranger', (client, { ada }) => client.get(`/users/${ada.id}`), {
        anonymous: [403, '403 Forbidden - Not authorized!'],
      }),
    ),
    line(
      'POST `/users` | administrators only. Required: `email`, `name`, `username`. Either `password`, `reset_password` or `force_random_password` must be given; if both reset_password and force_random_password are false, password is required; the two flags take priority over password and can be combined. Optional: admin, auditor (PREMIUM), avatar, bio, can_create_group, color_scheme_id, extern_uid, external, extra_shared_runners_minutes_limit, group_id_for_saml, linkedin, location, note, organization, private_profile (true, false default, or null converted to false), projects_limit, provider, shared_runners_minutes_limit (nil inherits, 0 unlimited, >0), skip_confirmation, skype, theme_id, twitter, view_diffs_file_by_file, website_url',
      'POST /users → 201; without email, name, username or any password → 400',
      async ({ root }) => {
        const params = { email: 'new@example.test', name: 'New', username: 'new_one' }
        expect((await root.post('/users', params)).status).toBe(400)
        expect(
          (await root.post('/users', { ...params, reset_password: false, force_random_password: false }))
            .status,
        ).toBe(400)
        for (const name of ['email', 'name', 'username'] as const)
          expect(
            (await root.post('/users', { ...params, force_random_password: true, [name]: undefined })).status,
          ).toBe(400)
        const more = {
          admin: false,
          auditor: false,
          bio: 'b',
          can_create_group: true,
          color_scheme_id: 1,
          extern_uid: 'x',
          provider: 'y',
          external: false,
          extra_shared_runners_minutes_limit: 1,
          linkedin: 'l',
          location: 'l',
          note: 'n',
          organization: 'o',
          private_profile: null,
          projects_limit: 3,
          shared_runners_minutes_limit: 0,
          skip_confirmation: true,
          skype: 's',
          theme_id: 1,
          twitter: 't',
          view_diffs_file_by_file: true,
          website_url: 'https://example.com',
        }
        const made = await root.post('/users', {
          ...params,
          ...more,
          reset_password: true,
          force_random_password: true,
          password: 'taken over by the flags',
        })
        expect([made.status, made.body.private_profile, made.body.projects_limit]).toEqual([201, false, 3])
      },
      from('administrator', (client, _args, username) =>
        client.post('/users', {
          email: `${username}@new.example.test`,
          name: username,
          username,
          force_random_password: true,
        }),
      ),
    ),
    line(
      'PUT `/users/:id` | administrators only. `id` required; optional attributes like create plus `commit_email` (`_private` selects the private address), `public_email` (must be verified), `pronouns`; `email` can only be changed to an already-added secondary address',
      'PUT /users/:id → 200; of oneself by a user → 403; an address that is not theirs → 400 or unconfirmed',
      async ({ w, root, ada, eve }) => {
        expect((await w.as(eve).put(`/users/${eve.id}`, { name: 'X' })).status).toBe(403)
        const changed = await root.put(`/users/${ada.id}`, {
          pronouns: 'they',
          commit_email: '_private',
          note: 'n',
        })
        expect([changed.status, changed.body.pronouns]).toEqual([200, 'they'])
        expect((await root.put(`/users/${ada.id}`, { public_email: 'nobody@example.test' })).status).toBe(400)
      },
      from('administrator', (client, { ada }) => client.put(`/users/${ada.id}`, { name: 'X' })),
    ),
    unproven(
      'Remaining user-modification parameters and other user endpoints: not shown.',
      'The contract does not show them; spec core does.',
    ),
  ],
)
