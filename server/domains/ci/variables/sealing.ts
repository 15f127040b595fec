import type { Ctx } from '../../../ctx.ts'
import type { OpenVariable } from './entity.ts'
import type { VariableRow } from './store.ts'

const PURPOSE = 'ci_variables.value'

/** The form in which a value is stored. */
export function sealValue({ secrets }: Pick<Ctx, 'secrets'>, value: string): string {
  return secrets.seal(value, PURPOSE)
}

/** A variable with its value. Throws when the key of the instance is another one than it was sealed with. */
export function openVariable({ secrets }: Pick<Ctx, 'secrets'>, row: VariableRow): OpenVariable {
  return { row, value: secrets.open(row.value, PURPOSE).toString() }
}
