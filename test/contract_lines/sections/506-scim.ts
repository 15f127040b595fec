import { section, unproven } from '../section.ts'

const reason = 'test/api/scim proves it: a group gets SCIM in the window first, with a token of its own.'

export const statements = section('SCIM (PREMIUM SaaS; group SSO must be enabled)', async () => ({}), [
  unproven(
    'GET `/groups/:id/scim/identities`: `id` integer required; 200 with array of SCIM identity.',
    reason,
  ),
  unproven(
    'PATCH `/groups/:groups_id/scim/:uid`: `uid` string is the current external UID; form field `extern_uid` sets the new value (maps the identity-provider id/externalId field).',
    reason,
  ),
  unproven(
    'A separate SCIM protocol endpoint (RFC 7644) is served at `/api/scim/v2/groups/:group_path/Users/`; its operations are not shown in detail.',
    reason,
  ),
])
