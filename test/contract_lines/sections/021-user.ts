import { expect } from 'vitest'

import { hasFields, hasOnlyFields, section, line } from '../section.ts'

export const statements = section('User', async (w) => ({ ada: w.make.user(), eve: w.make.user() }), [
  line(
    'Normal view: id, username, name, state (`active`, `blocked`), avatar_url, web_url. Single user adds created_at, bio, bot, location, public_email, skype, linkedin, twitter, website_url, organization, job_title, pronouns, work_information, followers, following, local_time, is_followed.',
    'GET /users, GET /users/:id by a user → these fields',
    async ({ w, ada, eve }) => {
      const { body: list } = await w.as(eve).get(`/users?username=${ada.username}`)
      hasOnlyFields(list[0], {
        id: 'integer',
        username: 'string',
        name: 'string',
        state: 'string',
        avatar_url: 'string?',
        web_url: 'string',
      })
      const { body } = await w.as(eve).get(`/users/${ada.id}`)
      hasFields(body, {
        created_at: 'timestamp',
        bio: 'string',
        bot: 'boolean',
        location: 'string?',
        public_email: 'string?',
        skype: 'string',
        linkedin: 'string',
        twitter: 'string',
        website_url: 'string',
        organization: 'string?',
        job_title: 'string',
        pronouns: 'string?',
        work_information: 'string?',
        followers: 'integer',
        following: 'integer',
        local_time: 'string?',
        is_followed: 'boolean',
      })
    },
  ),
  line(
    'Administrator view adds: email, is_admin, last_sign_in_at, confirmed_at, theme_id, last_activity_on, color_scheme_id, projects_limit, current_sign_in_at, note, identities (array of `{provider, extern_uid}`; group SAML entries add saml_provider_id), can_create_group, can_create_project, two_factor_enabled, external, private_profile, commit_email (single), current_sign_in_ip, last_sign_in_ip, plan and trial and sign_in_count (single, enterprise edition), namespace_id, created_by (null when the user self-registered). Paid plans add shared_runners_minutes_limit, extra_shared_runners_minutes_limit, is_auditor, using_license_seat, provisioned_by_group_id.',
    'GET /users, GET /users/:id, POST /users by an administrator → these fields too; GET /users/:id by a user, also of oneself → none of them',
    async ({ w, root, ada, eve }) => {
      const shared = {
        email: 'string',
        is_admin: 'boolean',
        last_sign_in_at: 'timestamp?',
        confirmed_at: 'timestamp?',
        theme_id: 'integer',
        last_activity_on: 'date?',
        color_scheme_id: 'integer',
        projects_limit: 'integer',
        current_sign_in_at: 'timestamp?',
        note: 'string?',
        identities: 'array',
        can_create_group: 'boolean',
        can_create_project: 'boolean',
        two_factor_enabled: 'boolean',
        external: 'boolean',
        private_profile: 'boolean',
        current_sign_in_ip: 'string?',
        last_sign_in_ip: 'string?',
        namespace_id: 'integer?',
        created_by: 'object?',
        shared_runners_minutes_limit: 'integer?',
        extra_shared_runners_minutes_limit: 'integer?',
        is_auditor: 'boolean',
        using_license_seat: 'boolean',
        provisioned_by_group_id: 'integer?',
      } as const
      hasFields((await root.get(`/users?username=${ada.username}`)).body[0], shared)
      const single = {
        ...shared,
        commit_email: 'string',
        plan: 'string',
        trial: 'boolean',
        sign_in_count: 'integer',
      } as const
      hasFields((await root.get(`/users/${ada.id}`)).body, single)
      for (const user of [ada, eve]) {
        const { body } = await w.as(eve).get(`/users/${user.id}`)
        expect(Object.keys(single).filter((name) => name in body)).toEqual([])
      }
      const made = await root.post('/users', {
        email: 'made@example.test',
        name: 'Made',
        username: 'made',
        force_random_password: true,
      })
      hasFields(made.body, shared)
      expect(made.body.created_by.username).toBe('root')
    },
  ),
])
