import type { dataPaths } from '../config.ts'
import type { Git } from '../git/types.ts'
import type { Inspection } from '../db/inspection.ts'

/** A problem that a check found. */
export interface Finding {
  /** Name of the check. */
  readonly check: string
  readonly sentence: string
  /** Repairs the problem for `--repair`; undefined if a person has to decide. */
  readonly repair?: () => void | Promise<void>
}

/** The data that the checks examine. */
export interface ExaminedData {
  readonly dataDir: string
  readonly paths: ReturnType<typeof dataPaths>
  readonly db: Inspection
  /** Folders of repositories, by the name of their storage. */
  readonly storages: ReadonlyMap<string, string>
  /** Git for the option `--deep`, which checks every object of the repositories. */
  readonly deep: Git | undefined
}
