import type { Work } from '../work.ts'

/** A part of the import (spec administration 6.10). May be cut off anywhere, and begun again. */
export interface Stage {
  readonly name: string
  run(work: Work): Promise<void>
}
