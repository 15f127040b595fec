import type { Work } from '../work.ts'

/** A part of the import (spec administration 6.9). May be cut off anywhere, and begun again. */
export interface Stage {
  readonly name: string
  /** Whether this import has it; always without. */
  isWanted?(work: Work): boolean
  run(work: Work): Promise<void>
}
