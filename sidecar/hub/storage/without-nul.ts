/**
 * Replaces NUL by U+FFFD in every text for PostgreSQL, which cannot store it: a task or a result with NUL would
 * otherwise fail there and pass on SQLite. Inside JSON a NUL is escaped and stays.
 */
import { OperationNodeTransformer } from 'kysely';
import type { KyselyPlugin, PluginTransformQueryArgs, PrimitiveValueListNode, ValueNode } from 'kysely';

export class NulReplacer implements KyselyPlugin {
  readonly #transformer = new NulTransformer();

  transformQuery({ node, queryId }: PluginTransformQueryArgs): PluginTransformQueryArgs['node'] {
    return this.#transformer.transformNode(node, queryId);
  }

  transformResult: KyselyPlugin['transformResult'] = ({ result }) => Promise.resolve(result);
}

class NulTransformer extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return { ...node, value: replaceNul(node.value) };
  }

  protected override transformPrimitiveValueList(node: PrimitiveValueListNode): PrimitiveValueListNode {
    return { ...node, values: node.values.map(replaceNul) };
  }
}

const replaceNul = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
