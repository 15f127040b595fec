import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Config } from '../../../config.ts'
import { notFound } from '../../../lib/fail.ts'
import type { ShippedWorld } from './entity.ts'

/** The worlds that come with the instance, the smallest first. */
export const SHIPPED_WORLDS = ['small-team', 'open-source', 'monorepo', 'thousand-projects'] as const

/** The folder of the YAML files: next to the built server, or next to this file. */
function folderOf(assetsDir: string | undefined): string {
  const built = assetsDir && join(assetsDir, 'worlds')
  return built && existsSync(built) ? built : fileURLToPath(new URL('./data', import.meta.url))
}

/** The text of a shipped world. Throws 404. */
export async function shippedWorld({ assetsDir }: Pick<Config, 'assetsDir'>, name: string): Promise<string> {
  if (!(SHIPPED_WORLDS as readonly string[]).includes(name)) throw notFound('World')
  return readFile(join(folderOf(assetsDir), `${name}.yaml`), 'utf8')
}

export async function shippedWorlds(config: Pick<Config, 'assetsDir'>): Promise<ShippedWorld[]> {
  return Promise.all(
    SHIPPED_WORLDS.map(async (name) => {
      const text = await shippedWorld(config, name)
      const valueOf = (key: string) => new RegExp(`^${key}: (.+)$`, 'm').exec(text)?.[1] ?? ''
      return {
        name,
        title: valueOf('title'),
        description: valueOf('description'),
        bytes: Buffer.byteLength(text),
      }
    }),
  )
}
