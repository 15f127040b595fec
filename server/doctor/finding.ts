import type { dataPaths } from '../config.ts'
import type { Git } from '../git/types.ts'
import type { Inspection } from '../db/inspection.ts'

/** Something that is not as it should be. */
export interface Finding {
  /** Name of the check. */
  readonly check: string
  readonly sentence: string
  /** What `--repair` does about it; nothing where a person has to decide. */
  readonly repair?: () => void | Promise<void>
}

/** What the checks look at. */
export interface Patient {
  readonly dataDir: string
  readonly paths: ReturnType<typeof dataPaths>
  readonly db: Inspection
  /** Folders of repositories, by the name of their storage. */
  readonly storages: ReadonlyMap<string, string>
  /** Git, where repositories are to be read from beginning to end. */
  readonly deep: Git | undefined
}
