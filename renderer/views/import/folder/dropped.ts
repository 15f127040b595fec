import type { Folder } from './entries.ts'

let waiting: Folder | null = null

/** A dropped folder, for the page that selects its target. */
export const handOver = (folder: Folder) => {
  waiting = folder
}

export const takeOver = (): Folder | null => {
  const folder = waiting
  waiting = null
  return folder
}
