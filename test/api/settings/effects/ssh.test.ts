import { describe, expect, it } from 'vitest'

import { gitWith, hasSsh, keyFile } from '../../../git-ssh/client.ts'
import { frozenClock } from '../../../../server/lib/clock.ts'
import { tempDir } from '../../../support/git.ts'
import { world } from '../../../support/world.ts'
import { fill } from '../../repository/fill.ts'

describe.runIf(hasSsh)('git over SSH', async () => {
  const clock = frozenClock('2026-03-01T12:00:00.000Z')
  const w = await world({ sshPort: 0, clock })
  const user = w.make.user()
  const key = keyFile()
  await w.as(user).post('/user/keys', { title: 'Laptop', key: key.line })
  const project = await w.make.project({ owner: user })
  fill(w, project, [{ files: { a: '1' } }])
  const look = () => gitWith(key, tempDir(), 'ls-remote', project.ssh_url_to_repo as string)
  const set = async (changes: object) => {
    expect((await w.as(w.root).put('/application/settings', changes)).status).toBe(200)
  }

  it('shell_operation_limit: limits the commands of a user on a project', async () => {
    await set({ shell_operation_limit: 1 })
    expect((await look()).code).toBe(0)
    const refused = await look()
    expect([refused.code, refused.stderr]).toEqual([
      128,
      expect.stringContaining('This endpoint has been requested too many times. Try again later.'),
    ])
    clock.advance(60_000)
    expect((await look()).code).toBe(0)
    await set({ shell_operation_limit: 0 })
    expect((await look()).code).toBe(0)
  })

  it('ed25519_key_restriction: also applies to existing keys', async () => {
    await set({ ed25519_key_restriction: -1 })
    const refused = await look()
    expect([refused.code, refused.stderr]).toEqual([
      128,
      expect.stringContaining('Your SSH key type is forbidden.'),
    ])
    await set({ ed25519_key_restriction: 0 })
    expect((await look()).code).toBe(0)
  })

  it('enabled_git_access_protocol: disables the other protocol', async () => {
    await set({ enabled_git_access_protocol: 'http' })
    const refused = await look()
    expect([refused.code, refused.stderr]).toEqual([
      128,
      expect.stringContaining('Git access over SSH is not allowed'),
    ])
    await set({ enabled_git_access_protocol: 'nil' })
    expect((await look()).code).toBe(0)
  })

  it('maintenance_mode: refuses pushes', async () => {
    await set({ maintenance_mode: true, maintenance_mode_message: 'Back at noon.' })
    const refused = await gitWith(key, tempDir(), 'push', '--mirror', project.ssh_url_to_repo as string)
    expect(refused.code).not.toBe(0)
    expect((await look()).code).toBe(0)
    await set({ maintenance_mode: false })
  })
})
