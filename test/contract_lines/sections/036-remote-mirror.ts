import { expect } from 'vitest'

import { hasFields, section, line } from '../section.ts'

export const statements = section(
  'Remote mirror',
  async (w) => ({ at: `/projects/${(await w.make.project()).id}/remote_mirrors` }),
  [
    line(
      'Fields: id, enabled, url (credentials always scrubbed), last_error, last_successful_update_at, last_update_at, last_update_started_at, only_protected_branches, keep_divergent_refs, update_status.',
      'POST /projects/:id/remote_mirrors → these fields, credentials masked',
      async ({ root, at }) => {
        await root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
        const { body } = await root.post(at, {
          url: 'http://ada:secret@127.0.0.1:9/there.git',
          enabled: false,
        })
        hasFields(body, {
          id: 'integer',
          enabled: 'boolean',
          url: 'string',
          last_error: 'string?',
          last_successful_update_at: 'timestamp?',
          last_update_at: 'timestamp?',
          last_update_started_at: 'timestamp?',
          only_protected_branches: 'boolean',
          keep_divergent_refs: 'boolean?',
          update_status: 'string',
        })
        expect([body.url, body.update_status]).toEqual(['http://*****:*****@127.0.0.1:9/there.git', 'none'])
      },
    ),
  ],
)
