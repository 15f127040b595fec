import { frozenClock } from '../../../../server/lib/clock.ts'
import { world, type World } from '../../../support/world.ts'

/** Two instances that may reach each other: the source of a migration and its target. */
export interface TwoInstances {
  readonly there: World
  readonly here: World
  /** Advances the clock of the target, so that waiting jobs become due. */
  pass(ms: number): void
  /** Runs the jobs of both instances until none is due. */
  settle(): Promise<void>
}

/** Starts both instances. */
export async function twoInstances(): Promise<TwoInstances> {
  const clock = frozenClock('2026-03-01T12:00:00.000Z')
  const there = await world({ rootToken: 'root-token-over-there' })
  const here = await world({ clock })
  const settings = { bulk_import_enabled: true, allow_local_requests_from_web_hooks_and_services: true }
  for (const instance of [there, here])
    await instance.as(instance.root).put('/application/settings', settings)
  const pass = (ms: number): void => clock.advance(ms)
  const isBusy = (): boolean =>
    here
      .ctx()
      .db.one(
        "SELECT 1 FROM jobs WHERE name = 'group_transfer.bulk_entity' AND state IN ('ready', 'running')",
      ) !== undefined
  return {
    there,
    here,
    pass,
    async settle() {
      for (let round = 0; round < 100; round++) {
        await here.drain()
        await there.drain()
        if (!isBusy()) return
        pass(60_000)
      }
      throw new Error('The migration does not end.')
    },
  }
}
