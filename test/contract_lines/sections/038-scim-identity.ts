import { section, unproven } from '../section.ts'

export const statements = section('SCIM identity', async () => ({}), [
  unproven('Fields: extern_uid (string), user_id.', 'The section of SCIM proves it.'),
])
