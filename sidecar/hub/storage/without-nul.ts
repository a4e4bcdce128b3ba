/**
 * PostgreSQL's texts cannot hold NUL, which JSON and SQLite can: a task or a result with one would otherwise fail on one
 * database and pass on the other. In every text on its way to PostgreSQL it becomes U+FFFD. Inside of JSON it is escaped
 * and stays as it is.
 */
import { OperationNodeTransformer } from 'kysely';
import type { KyselyPlugin, PluginTransformQueryArgs, PrimitiveValueListNode, ValueNode } from 'kysely';

export class WithoutNul implements KyselyPlugin {
  readonly #transformer = new NulTransformer();

  transformQuery({ node, queryId }: PluginTransformQueryArgs): PluginTransformQueryArgs['node'] {
    return this.#transformer.transformNode(node, queryId);
  }

  transformResult: KyselyPlugin['transformResult'] = ({ result }) => Promise.resolve(result);
}

class NulTransformer extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return { ...node, value: withoutNul(node.value) };
  }

  protected override transformPrimitiveValueList(node: PrimitiveValueListNode): PrimitiveValueListNode {
    return { ...node, values: node.values.map(withoutNul) };
  }
}

const withoutNul = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
