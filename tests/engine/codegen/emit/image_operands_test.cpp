// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/block_kernel.h"
#include "engine/codegen/emit/plan_kernels.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/small_network.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::image_operands_test {

namespace {

/// A GPU with vectors of four lanes that reads images faster than buffers.
ScheduleTarget gpu()
{
    ScheduleTarget target;
    target.lanes = 4;
    target.vectorRegisters = 32;
    target.byElement = true;
    target.language = &openclLanguage();
    target.imageTexels = 1 << 16;
    target.prefersImages = true;
    return target;
}

/// A product of matrices, the second one constant.
Graph product(int rows, int depth, int columns)
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {Dim(rows), Dim(depth)});
    const TensorId w = maker.constant("w", numbered({depth, columns}));
    return maker.finish({maker.call("MatMul", {x, w}, {Dim(rows), Dim(columns)})});
}

BlockKernel kernelFor(const Graph &graph, const ScheduleTarget &target)
{
    GenerateOptions options;
    options.target = target;
    const auto kernels = generateKernels(graph, KernelBatch().opsets(), {allNodes(graph)}, options);
    if (!kernels)
        qFatal("%s", kernels.error().text().c_str());
    return *kernels->kernels.back();
}

std::string codeFor(const Graph &graph, const ScheduleTarget &target)
{
    return kernelFor(graph, target).phases.front().code;
}

/// Returns a phase of the product's kernel whose schedule is this text.
Result<BlockKernel::Phase> withSchedule(const Graph &graph, const std::string &text,
                                        const ScheduleTarget &target)
{
    const BlockKernel kernel = kernelFor(graph, target);
    Schedule schedule(kernel.block.nests.front());
    GL_TRY(schedule.apply(text));
    return phaseOf(kernel, PhaseIndex(0), GroupSchedules({&schedule, 1}), target);
}

int countIn(const std::string &code, const char *text)
{
    return int(QByteArray(code.c_str()).count(text));
}

} // namespace

class ImageOperandsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void operandsAreImages();
    void lanesAndElementsAreThoseOfTexels();
    void partsOfTexelsStayInBuffers();
    void largeOperandsStayInBuffers();
    void elementsBetweenTexelsAreSelected();
    void partsOfTexelsAreRefused();
    void languagesWithoutImagesReadBuffers();
};

void ImageOperandsTest::operandsAreImages()
{
    const BlockKernel kernel = kernelFor(product(8, 64, 32), gpu());
    QCOMPARE(std::ranges::count(kernel.phases.front().buffers, true, &KernelBuffer::isImage),
             std::ptrdiff_t(2));
    QCOMPARE(countIn(kernel.phases.front().code, "__read_only image1d_buffer_t"), 2);
}

void ImageOperandsTest::lanesAndElementsAreThoseOfTexels()
{
    const std::string code = codeFor(product(8, 64, 32), gpu());
    QVERIFY2(countIn(code, "gv_load_image(") > 1, code.c_str());
    for (const char *element : {".s0", ".s1", ".s2", ".s3"})
        QVERIFY2(countIn(code, element) > 0, code.c_str());
    QCOMPARE(countIn(code, "gs_load_image("), 0);
}

/// 99 elements are no whole number of texels; the weights are packed.
void ImageOperandsTest::partsOfTexelsStayInBuffers()
{
    const std::string code = codeFor(product(3, 33, 32), gpu());
    QCOMPARE(countIn(code, "image1d_buffer_t"), 1);
}

void ImageOperandsTest::largeOperandsStayInBuffers()
{
    ScheduleTarget target = gpu();
    target.imageTexels = 8 * 64 / 4; // the first operand
    QCOMPARE(countIn(codeFor(product(8, 64, 32), target), "image1d_buffer_t"), 1);
}

void ImageOperandsTest::elementsBetweenTexelsAreSelected()
{
    const auto phase = withSchedule(product(8, 6, 32), "image 0", gpu());
    QVERIFY2(phase, phase ? "" : phase.error().text().c_str());
    QVERIFY2(countIn(phase->code, "gs_load_image(") > 0, phase->code.c_str());
}

void ImageOperandsTest::partsOfTexelsAreRefused()
{
    const auto phase = withSchedule(product(3, 3, 32), "image 0", gpu());
    QVERIFY(!phase);
    QCOMPARE(int(phase.error().kind), int(Error::Kind::Usage));
    QVERIFY2(phase.error().message.find("texels") != std::string::npos,
             phase.error().message.c_str());
}

void ImageOperandsTest::languagesWithoutImagesReadBuffers()
{
    ScheduleTarget target = gpu();
    target.language = nullptr;
    const BlockKernel kernel = kernelFor(product(8, 64, 32), target);
    QVERIFY(kernel.schedules.front().text().find("image") != std::string::npos);
    QCOMPARE(std::ranges::count(kernel.phases.front().buffers, true, &KernelBuffer::isImage),
             std::ptrdiff_t(0));
}

GRAPHLOOM_TESTS(ImageOperandsTest)

} // namespace graphloom::test::image_operands_test

#include "image_operands_test.moc"
