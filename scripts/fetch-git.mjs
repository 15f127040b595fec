// Fetches the pinned git for the given platforms (`linux-x64`, …), or for this computer's, into build/git.
import './lib/node.mjs'
import { fetchGit, platforms } from './lib/bundled-git.mjs'

const names = { darwin: 'mac', win32: 'win' }
const own = `${names[process.platform] ?? process.platform}-${process.arch}`
const wanted = process.argv.length > 2 ? process.argv.slice(2) : [own]
for (const platform of wanted) {
  const problem = platforms.includes(platform)
    ? await fetchGit(platform)
    : `There is no git for ${platform}; there is one for ${platforms.join(', ')}.`
  console.log(problem ?? `Git for ${platform} is in build/git/${platform}.`)
  if (problem) process.exitCode = 1
}
