import { section, unproven } from '../section.ts'

export const statements = section('SCIM identity', async () => ({}), [
  unproven(
    'Fields: extern_uid (string), user_id.',
    'test/api/scim proves the fields: a group gets SCIM in the window first.',
  ),
])
