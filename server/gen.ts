import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { schemaTypes } from './db/schema-types.ts'
import { worldJsonSchema } from './domains/workbench/index.ts'
import { domains } from './domains.ts'
import { reloadTable } from './events/reloads.ts'
import { abilityTable, clientTypes } from './http/client-types.ts'

/** The current texts of all generated files, by path from the project's root. */
export function generatedFiles(): Readonly<Record<string, string>> {
  const endpoints = domains.flatMap((domain) => domain.endpoints)
  const { schema, booleans } = schemaTypes()
  return {
    'server/db/booleans.gen.ts': booleans,
    'server/db/schema.gen.ts': schema,
    'renderer/api/schema.gen.ts': clientTypes(endpoints),
    'renderer/api/abilities.gen.ts': abilityTable(endpoints),
    'renderer/api/reloads.gen.ts': reloadTable(domains.map((domain) => domain.reloads ?? {})),
    'server/domains/workbench/worlds/data/world.gen.json': `${JSON.stringify(worldJsonSchema(), null, 2)}\n`,
  }
}

/** Writes the generated files below `root`. */
export function generate(root: string): void {
  for (const [path, text] of Object.entries(generatedFiles())) writeFileSync(join(root, path), text)
}
