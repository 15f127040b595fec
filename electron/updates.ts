import type { UpdateState } from './bridge.ts'

/**
 * Updates are off unless the person who installed Deskforge turns them on: an application made to work
 * offline asks nobody for anything by itself. Nothing here runs at start, so nothing here can delay it.
 * A build that ships an update feed replaces `check` with one that asks it.
 */
export interface Updates {
  check(): Promise<UpdateState>
}

export function updates(isEnabled: boolean): Updates {
  const state: UpdateState = isEnabled
    ? { state: 'failed', message: 'This build knows no place to look for updates.' }
    : { state: 'off', message: 'Looking for updates is turned off.' }
  return { check: () => Promise.resolve(state) }
}
