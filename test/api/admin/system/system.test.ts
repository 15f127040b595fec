import { beforeAll, describe, expect, it } from 'vitest'

import { world, type World } from '../../../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world({ version: '16.1.0-test', revision: 'abc123' })
})

describe.each(['/version', '/metadata'])('GET %s', (path) => {
  it('returns the version to signed-in users', async () => {
    const user = w.make.user()
    expect((await w.as(user).get(path)).body).toEqual({
      version: '16.1.0-test',
      revision: 'abc123',
      kas: { enabled: false, externalUrl: null, version: null },
      enterprise: true,
    })
    const narrow = { ...user, token: w.make.token(user, ['read_user']) }
    expect((await w.as(narrow).get(path)).status).toBe(200)
  })

  it('refuses anonymous callers', async () => {
    expect(await w.as(null).get(path)).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } })
  })
})
