import type { Folder } from './entries.ts'

let waiting: Folder | null = null

/** A folder that was dropped elsewhere, for the page that asks where it goes. */
export const handOver = (folder: Folder) => {
  waiting = folder
}

export const takeOver = (): Folder | null => {
  const folder = waiting
  waiting = null
  return folder
}
