import { discord } from './chat/discord.ts'
import { googleChat } from './chat/google-chat.ts'
import { pumble, telegram, unifyCircuit, webexTeams } from './chat/one-line.ts'
import { slack } from './chat/slack.ts'
import { teams } from './chat/teams.ts'
import { datadog, github, packagist } from './ci/reports.ts'
import { bamboo, buildkite, drone, jenkins, teamcity } from './ci/servers.ts'
import { jira } from './jira/index.ts'
import { emailsOnPush } from './mails/on-push.ts'
import { pipelinesEmail } from './mails/pipelines.ts'
import type { Vendor } from './occasion.ts'
import { assembla } from './pushes/assembla.ts'
import { campfire } from './pushes/campfire.ts'
import { flowdock } from './pushes/flowdock.ts'
import { irker } from './pushes/irker.ts'
import { pushover } from './pushes/pushover.ts'
import { asana } from './tasks/asana.ts'
import { pivotalTracker } from './tasks/pivotal.ts'

/** How each integration tells of events, by its slug. Those that are only looked up by others stand here not. */
export const VENDORS: ReadonlyMap<string, Vendor> = new Map<string, Vendor>([
  ['asana', asana],
  ['assembla', assembla],
  ['bamboo', bamboo],
  ['buildkite', buildkite],
  ['campfire', campfire],
  ['datadog', datadog],
  ['discord', discord],
  ['drone-ci', drone],
  ['emails-on-push', emailsOnPush],
  ['flowdock', flowdock],
  ['github', github],
  ['hangouts-chat', googleChat],
  ['irker', irker],
  ['jenkins', jenkins],
  ['jira', jira],
  ['mattermost', slack],
  ['microsoft-teams', teams],
  ['packagist', packagist],
  ['pipelines-email', pipelinesEmail],
  ['pivotaltracker', pivotalTracker],
  ['pumble', pumble],
  ['pushover', pushover],
  ['slack', slack],
  ['teamcity', teamcity],
  ['telegram', telegram],
  ['unify-circuit', unifyCircuit],
  ['webex-teams', webexTeams],
])
