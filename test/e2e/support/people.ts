import type { Browser, BrowserContextOptions } from '@playwright/test'

import { App } from '../pages/app.ts'
import type { Instance } from './instance.ts'

/** Another user than the owner, with a password. */
export interface Person {
  readonly id: number
  readonly username: string
  readonly password: string
}

/** Creates an active account, as a member of a project. */
export async function joins(
  instance: Instance,
  projectId: number,
  name: string,
  accessLevel = 30,
): Promise<Person> {
  const username = name.toLowerCase()
  const password = 'a lighthouse in the fog'
  const email = `${username}@saltmarsh.test`
  const { id } = await instance.api<{ id: number }>('POST', '/users', {
    name,
    username,
    email,
    password,
    skip_confirmation: true,
  })
  await instance.api('POST', `/projects/${projectId}/members`, { user_id: id, access_level: accessLevel })
  return { id, username, password }
}

/** Opens a window of the user at a path. */
export async function windowOf(
  person: Person,
  instance: Instance,
  path: string,
  { browser, contextOptions }: { browser: Browser; contextOptions: BrowserContextOptions },
): Promise<App> {
  const context = await browser.newContext({ ...contextOptions, baseURL: instance.url })
  const app = new App(await context.newPage(), instance)
  await app.enter(path, person)
  return app
}
