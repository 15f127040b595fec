import { expect } from 'vitest'

import { section, line, unproven } from '../section.ts'

export const statements = section(
  'Versioning',
  async (w) => ({ at: `/projects/${(await w.make.project({ with: 'readme' })).id}` }),
  [
    line(
      'The HTTP API is versioned with a single major number, currently `4`, in the path `/api/v4`. Backward-incompatible changes require a new number; minor versions are not explicit and new features are added within the same version.',
      'GET !/api/v4/version → 200',
      async ({ root }) => {
        expect((await root.get('!/api/v4/version')).status).toBe(200)
      },
    ),
    line(
      'Only version 4 is available. A previous version 3 was replaced by 4.',
      'GET !/api/v3/version → 410: it is gone',
      async ({ root }) => {
        expect((await root.get('!/api/v3/version')).status).toBe(410)
      },
    ),
    unproven(
      'A GraphQL API co-exists with v4; a possible v5 would be a compatibility layer over it.',
      'There is no GraphQL here.',
    ),
    unproven(
      'New features and fixes ship with the service releases (monthly on the 22nd, apart from patch and security releases); major API changes and removal of API versions happen with major releases.',
      'Speaks of releases of the service.',
    ),
    line(
      'Deprecations noted: `/approvals` change endpoint (removal planned), `active` runner attribute and `status` values `active`/`paused` (replaced by `paused`), merged_by (replaced by merge_user, removal in v5), merge_status (replaced by detailed_merge_status), `work_in_progress` (replaced by draft), tag_list (replaced by topics), environment update `name`, service paths `/services` (renamed `/integrations`), asset_proxy_whitelist (replaced by asset_proxy_allowlist), admin_notification_email (replaced by abuse_notification_email).',
      'The old names are accepted next to the new ones',
      async ({ root, at }) => {
        const { body } = await root.get(at)
        for (const name of ['tag_list', 'topics']) expect(body).toHaveProperty(name)
        expect((await root.get(`${at}/services`)).status).toBe(200)
        const { body: settings } = await root.put('/application/settings', {
          asset_proxy_whitelist: ['a.example.com'],
        })
        expect(settings.asset_proxy_allowlist).toContain('a.example.com')
        const { body: environment } = await root.post(`${at}/environments`, { name: 'old-name' })
        expect((await root.put(`${at}/environments/${environment.id}`, { name: 'new-name' })).status).toBe(
          200,
        )
      },
    ),
  ],
)
